from collections.abc import Iterator

import pytest

from tests.hits.providers.prolific.house import House, house_at_prolific


@pytest.fixture
def house(db: None) -> Iterator[House]:
    with house_at_prolific() as made:
        yield made
