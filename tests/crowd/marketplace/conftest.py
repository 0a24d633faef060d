import pytest

from tests.crowd.marketplace.site import Browser, signed_in


@pytest.fixture
def browser() -> Browser:
    """A worker's, already signed in."""
    return signed_in()
