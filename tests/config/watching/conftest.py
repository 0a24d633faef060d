from collections.abc import Iterator
from pathlib import Path

import pytest

from config.watching import kept_counts
from hits.common.watching import timings


@pytest.fixture
def counts(tmp_path: Path) -> Iterator[Path]:
    """Keep what this test measures in a folder of its own."""
    folder = tmp_path / "metrics"
    kept_counts.connect(folder)
    yield folder
    timings.keep_by(None)
