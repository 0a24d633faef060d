from collections.abc import Iterator

import pytest

from crowd.marketplace.tools.prolific import StandIn, serving
from tests.crowd.marketplace.prolific.prolific_calls import Client


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    """A new stand-in, which answers no test with what its schema does not have."""
    with serving() as server:
        yield server
        assert server.world.answered_amiss == []


@pytest.fixture
def client(stand_in: StandIn) -> Client:
    return Client(stand_in=stand_in)
