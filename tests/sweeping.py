"""The sweeps that a write would wake, by the tables that they read."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from config.celery import app
from hits.common import changes, sweeps


@contextmanager
def written() -> Iterator[set[str]]:
    """Collect the tables that are written meanwhile, whether or not the test commits."""
    tables: set[str] = set()

    def note(connection: Any, table: str) -> None:
        tables.add(table)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(changes, "_tell", lambda _: None)
        patch.setattr(changes, "_note_write", note)
        yield tables


def is_woken(name: str, tables: set[str]) -> bool:
    app.loader.import_default_modules()  # sweeps are known once the modules of tasks are
    return bool(sweeps.run(name).tables & tables)
