import pytest
from django.conf import LazySettings

from hits.providers.gateway import registry
from tests.stubbed import StubbedTurk


@pytest.fixture(autouse=True)
def _one_sender(settings: LazySettings) -> None:
    """Send in the test's own thread: other threads would not see what its transaction holds."""
    settings.SENDERS = 1


@pytest.fixture
def turk(monkeypatch: pytest.MonkeyPatch) -> StubbedTurk:
    """Put a stubbed provider behind every account of the test."""
    stubbed = StubbedTurk()
    monkeypatch.setattr(registry, "_boto_provider", lambda **_: stubbed.provider)
    return stubbed
