import pytest

from hits.gateway import registry
from tests.stubbed import StubbedTurk


@pytest.fixture
def turk(monkeypatch: pytest.MonkeyPatch) -> StubbedTurk:
    """The provider behind every account of the test."""
    stubbed = StubbedTurk()
    monkeypatch.setattr(registry, "_boto_provider", lambda **_: stubbed.provider)
    return stubbed
