"""Fixtures for every room. Tests make their rows by the factory functions of tests.factories."""

import gc
import os
import re
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.core.servers.basehttp import WSGIRequestHandler
from django.db import connections
from django.test import TransactionTestCase
from hypothesis import HealthCheck, settings
from pytest_django import DjangoDbBlocker
from pytest_django.live_server_helper import LiveServer

from crowd.marketplace.services import work
from hits.common import changes
from tests.emptying import empty_database, read_laid
from tests.locks import refuse_second_locks
from tests.needs import leave_out_what_is_missing
from tests.postgres import can_differ, runs_once
from tests.rooms import is_repeating

# Without bytecode files, every process that a test starts would compile all modules again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A busy machine is slow, and rows that one example has made are there for the next: tests mind that.
settings.register_profile(
    "house",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("house")

DATABASES = ["default", "marketplace"]
FEW = 2
ON_POSTGRES_ASKED = re.compile(r"(?<!not )on_postgres")
# Python looks for cycles after every 700 new objects, which would take a twentieth of the time.
NEW_BEFORE_A_LOOK = 10_000
DATABASE_FIXTURES = {"db", "transactional_db", "live_server"}


@dataclass(frozen=True, kw_only=True)
class Sites:
    """The product over real HTTP: the site of researchers and question pages, and the workers' site."""

    public: str
    marketplace: str


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Each process of a run has databases of its own.

    A server's thread must not keep its connection, or the test databases could not be dropped. No test must
    survive a power failure, so PostgreSQL does not wait for the disk.
    """
    for database in connections.settings.values():
        database["CONN_MAX_AGE"] = 0
        if "postgresql" in database["ENGINE"]:
            database["OPTIONS"] = {**database["OPTIONS"], "options": "-c synchronous_commit=off"}


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Reset the databases after tests with real transactions to the rows they were created with."""
    with django_db_blocker.unblock():
        laid = {alias: read_laid(alias) for alias in DATABASES}

    def empty_databases(case: Any) -> None:
        for alias in case._databases_names(include_mirrors=False):
            empty_database(alias, laid[alias])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty_databases)
        yield


@pytest.fixture(scope="session", autouse=True)
def _quick_passwords() -> Iterator[None]:
    """Hash passwords by the same Argon2 with the least work: in earnest a guess costs a tenth of a second."""
    with pytest.MonkeyPatch.context() as patch:
        for cost, least in (("time_cost", 1), ("memory_cost", 8), ("parallelism", 1)):
            patch.setattr(Argon2PasswordHasher, cost, least)
        yield


@pytest.fixture(autouse=True)
def _scratch(tmp_path: Path, settings: LazySettings) -> None:
    """Keep the files and messages of a test in a folder of its own."""
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.STATIC_ROOT = tmp_path / "static"  # empty: static files have their plain names
    settings.WHITENOISE_AUTOREFRESH = True  # each client of a test would look through all of them


@pytest.fixture(autouse=True)
def _own_counts(settings: LazySettings) -> None:
    """Count in the cache for one test alone, even while other processes run beside it."""
    own = uuid4().hex
    settings.CACHES = {"default": {"LOCATION": own, **settings.CACHES["default"], "KEY_PREFIX": own}}


@pytest.fixture(autouse=True)
def _one_statement_of_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_second_locks(monkeypatch)


@pytest.fixture(autouse=True)
def _one_factor(settings: LazySettings) -> None:
    """Let a password alone sign in on PostgreSQL too, but where a test is about the second factor."""
    settings.SECOND_FACTOR = "off"


@pytest.fixture(autouse=True)
def _pages_settle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every page look for what is due: the one before may belong to another test."""
    monkeypatch.setattr(work, "LOOK_EVERY", timedelta(0))


@pytest.fixture
def sites(live_server: LiveServer, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Sites:
    # Head and body go out in two pieces: the second would wait 40 ms for the first to be acknowledged.
    monkeypatch.setattr(WSGIRequestHandler, "disable_nagle_algorithm", True)
    port = live_server.url.rpartition(":")[2]
    settings.PUBLIC_URL = f"http://127.0.0.1:{port}"
    settings.MARKETPLACE_URL = f"http://localhost:{port}"
    settings.MARKETPLACE_CONTENT_URL = f"http://*.localhost:{port}"
    return Sites(public=settings.PUBLIC_URL, marketplace=settings.MARKETPLACE_URL)


def pytest_configure() -> None:
    """Writes of tests wake no sweeps: a server in this folder would look for their rows in vain."""
    changes.tell_by(None)
    gc.disable()


def pytest_collection_finish() -> None:
    """Keep modules and tests out of garbage collection: all of them are needed to the end."""
    gc.freeze()
    gc.set_threshold(NEW_BEFORE_A_LOOK, 10, 10)
    gc.enable()


def pytest_unconfigure() -> None:
    gc.unfreeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        leave_out_what_is_missing(item)
        _open_both_databases(item)
        if can_differ(item):
            item.add_marker("on_postgres")
        if is_repeating(item.path):
            item.add_marker("no_cover")


def _open_both_databases(item: pytest.Item) -> None:
    """A test that may use a database may use both of them."""
    marker = item.get_closest_marker("django_db")
    if marker is not None or DATABASE_FIXTURES.intersection(item.fixturenames):  # type: ignore[attr-defined]
        given = {} if marker is None else marker.kwargs
        item.add_marker(pytest.mark.django_db(**{"databases": DATABASES, **given}), append=False)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The run on PostgreSQL does not even import modules that run once: some load torch, which is slow."""
    asked = ON_POSTGRES_ASKED.search(config.option.markexpr) is not None
    return True if asked and collection_path.name.startswith("test_") and runs_once(collection_path) else None


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Run one or two modules in this process, which is quicker; anything more uses all cores."""
    few = len(config.args) <= FEW and all(".py" in asked for asked in config.args)
    return 0 if few else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Forget what a passed test has logged: of thousands it is gigabytes, in all processes."""
    report = yield
    if report.passed:
        report.sections.clear()
    if report.when == "teardown":
        item._report_sections.clear()
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"not run: {count} tests: {reason}")
