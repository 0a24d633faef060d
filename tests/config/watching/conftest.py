from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from config.watching import kept_counts
from tests.scoring.fakes import FakeRival, use_fakes

TOKEN = "a-token-of-the-tests"
Numbers = Callable[..., float | None]


@pytest.fixture
def counts(tmp_path: Path) -> Iterator[Path]:
    """Keep what this test measures in a folder of its own."""
    folder = tmp_path / "metrics"
    kept_counts.connect(folder)
    yield folder
    kept_counts.disconnect()


@pytest.fixture
def number(client: Client, settings: LazySettings, counts: Path) -> Numbers:
    """Read one number from the page of metrics, as Prometheus does; None if it is not there."""
    settings.METRICS_TOKEN = TOKEN

    def read(name: str, **labels: str) -> float | None:
        page = client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"}).content.decode()
        found = [
            sample.value
            for family in text_string_to_metric_families(page)
            for sample in family.samples
            if sample.name == name and sample.labels == labels
        ]
        assert len(found) < 2
        return found[0] if found else None

    return read


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeRival]:
    return use_fakes(monkeypatch)
