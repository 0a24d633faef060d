from types import SimpleNamespace

import pytest
from django.conf import LazySettings

from tests.promise.world import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Clock:
    settings.MARKETPLACE_CONTROL_KEY = "control-key-of-the-tests"
    settings.MARKETPLACE_KEY_RATE = settings.MARKETPLACE_WORKER_RATE = 0
    settings.SENDERS = 1
    clock = Clock()
    monkeypatch.setattr("django.utils.timezone.now", clock.now)
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda _: None))
    return clock
