"""Fixtures for every room. What a test needs it makes by a factory function of tests.factories."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import connections
from pytest_django.live_server_helper import LiveServer

from tests.needs import NOT_RUN, leave_out_what_is_missing

DATABASES = ["default", "marketplace"]


@dataclass(frozen=True, kw_only=True)
class Sites:
    """The product over real HTTP: the researchers' and question pages' site, and the workers' one."""

    public: str
    marketplace: str


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """A server's thread must not keep its connection: the test databases could not be dropped."""
    for database in connections.settings.values():
        database["CONN_MAX_AGE"] = 0


@pytest.fixture(autouse=True)
def _scratch(tmp_path: Path, settings: LazySettings) -> None:
    """Files and messages of a test lie in a folder of its own."""
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def sites(live_server: LiveServer, settings: LazySettings) -> Sites:
    port = live_server.url.rpartition(":")[2]
    settings.PUBLIC_URL = f"http://127.0.0.1:{port}"
    settings.MARKETPLACE_URL = f"http://localhost:{port}"
    return Sites(public=settings.PUBLIC_URL, marketplace=settings.MARKETPLACE_URL)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        leave_out_what_is_missing(item)
        # A test that may use a database may use both of them.
        marker = item.get_closest_marker("django_db")
        if marker is not None:
            item.add_marker(pytest.mark.django_db(**{"databases": DATABASES, **marker.kwargs}), append=False)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for reason, count in sorted(NOT_RUN.items()):
        terminalreporter.write_line(f"not run: {count} tests: {reason}")
