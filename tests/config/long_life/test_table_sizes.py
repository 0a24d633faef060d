from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection

from config import table_sizes
from tests.factories import make_study, make_worker

pytestmark = pytest.mark.django_db(databases=["default", "marketplace"])


def test_sizes_are_read_without_counting_rows(django_assert_max_num_queries: Any) -> None:
    make_worker()
    tables = len(connection.introspection.table_names())

    with django_assert_max_num_queries(tables + 5):
        finding = table_sizes.check_size("default")

    assert finding.ok
    assert "MB. Largest: " in finding.saw


def test_every_table_is_among_the_sizes() -> None:
    make_study()

    sizes = {one.name for one in table_sizes.table_sizes(connection)}

    assert set(connection.introspection.table_names()) <= sizes
    assert table_sizes.database_bytes(connection) > 100_000


@pytest.mark.parametrize(("free", "ok"), [(5 * table_sizes.GB, True), (table_sizes.MB, False)])
def test_full_disk_is_told_before_it_is_full(free: int, ok: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.table_sizes.shutil.disk_usage", lambda _: SimpleNamespace(free=free))

    finding = table_sizes.check_disk()

    assert finding.ok is ok
    assert bool(finding.advice) is not ok
