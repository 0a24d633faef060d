import pytest

from crowd.marketplace import rates
from tests.crowd.marketplace.site import Browser, signed_in


@pytest.fixture
def browser() -> Browser:
    """A worker's, already signed in."""
    return signed_in()


@pytest.fixture
def one_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """The window of the rates never ends while a test counts to its limit."""
    monkeypatch.setattr(rates, "time", lambda: 1000.0)
