"""Selection of tests: where each one runs, and in how many processes."""

import re
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import pytest_xdist_auto_num_workers
from tests.postgres import ON_POSTGRES, ONCE, TESTS, can_differ, runs_once

pytestmark = pytest.mark.pure
ROOMS = ("crowd", "hits", "qualifications", "scoring")
THREADS = re.compile(r"ThreadPoolExecutor|Thread\(|select_for_update|needs_postgres|needs_redis")


def listed(name: str) -> bool:
    item: Any = SimpleNamespace(path=TESTS / name, get_closest_marker=lambda _: None)
    return can_differ(item)


def test_tables_name_what_is_there() -> None:
    assert [name for name in (*ON_POSTGRES, *ONCE) if not (TESTS / name).exists()] == []


def test_what_is_left_out_stands_in_a_folder_that_is_not() -> None:
    assert [name for name in ONCE if not any(name.startswith(f"{place}/") for place in ON_POSTGRES)] == []


def test_races_and_tests_of_servers_run_on_postgresql() -> None:
    modules = [path for room in ROOMS for path in (TESTS / room).rglob("test_*.py")]
    racing = [
        str(path.relative_to(TESTS))
        for path in modules
        if "races" in path.stem
        or (THREADS.search(text := path.read_text()) and "django_db(transaction=True)" in text)
    ]

    assert len(racing) > 20
    assert [name for name in racing if not listed(name)] == []


def test_what_needs_no_database_runs_once() -> None:
    path = TESTS / "hits" / "core" / "test_money_rules.py"
    item: Any = SimpleNamespace(path=path, get_closest_marker=lambda _: True)

    assert not can_differ(item)
    assert listed("hits/payments/test_accrual.py")
    assert not listed("hits/providers/test_signatures.py")
    assert not listed("browser/families/test_play.py")


def test_run_on_postgresql_reads_no_module_that_runs_once() -> None:
    modules = {str(path.relative_to(TESTS)): runs_once(path) for path in TESTS.rglob("test_*.py")}

    assert {name for name in modules if name.startswith("browser/") and modules[name]} == set()
    assert not modules["hits/payments/test_accrual.py"]
    assert not modules["config/test_demo.py"], "some of it needs PostgreSQL"
    assert modules["scoring/test_clip.py"], "it loads torch"


@pytest.mark.parametrize(
    ("asked", "workers"),
    [
        (["tests/hits/ledger/test_ledger.py"], 0),
        (["tests/hits/ledger/test_ledger.py::test_one", "tests/hits/payments/test_accrual.py"], 0),
        (
            [
                "tests/hits/ledger/test_ledger.py",
                "tests/hits/payments/test_accrual.py",
                "tests/hits/payments/test_paying.py",
            ],
            None,
        ),
        (["tests/hits"], None),
        (["tests"], None),
    ],
)
def test_a_module_or_two_run_without_other_processes(asked: list[str], workers: int | None) -> None:
    config: Any = SimpleNamespace(args=asked)

    assert pytest_xdist_auto_num_workers(config) == workers
