from collections.abc import Iterator

import pytest

from tests.hits.providers.prolific.house import House, house_at_prolific


@pytest.fixture
def house(db: None) -> Iterator[House]:
    """An account at the stand-in, whose answers all fit its schema."""
    with house_at_prolific() as made:
        yield made
        assert made.stand_in.world.answered_amiss == []
