from uuid import uuid4

import pytest
from django.conf import LazySettings

from crowd.marketplace import rates
from tests.crowd.marketplace.site import Browser, signed_in


@pytest.fixture
def browser() -> Browser:
    """A worker's, already signed in."""
    return signed_in()


@pytest.fixture(autouse=True)
def _own_counts(settings: LazySettings) -> None:
    """Rates are counted apart for every test: all of them come from one address."""
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
            "LOCATION": uuid4().hex,
        }
    }


@pytest.fixture
def one_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """The window of the rates never ends while a test counts to its limit."""
    monkeypatch.setattr(rates, "time", lambda: 1000.0)
