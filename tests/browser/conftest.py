"""A real browser over the real sites. The test itself does the background's work, service by service."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from config.celery import app
from crowd.winogavil.demo import seeding
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import Desk, open_desk
from tests.conftest import Sites
from tests.needs import chromium

ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
OpenPage = Callable[..., Page]
FOLDER = Path(__file__).parent
# Their pages are for workers and players too, who mostly have phones.
OF_WORKERS = {"families", "workers"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Pages of staff are looked at on a phone in the long run alone: each look takes up to half a minute."""
    for item in items:
        if item.path.is_relative_to(FOLDER) and _is_of_staff(item) and "[phone" in item.name:
            item.add_marker("long")


def _is_of_staff(item: pytest.Item) -> bool:
    return not OF_WORKERS.intersection(item.path.relative_to(FOLDER).parts)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Yield one browser for this folder, closed before other tests: its event loop is in their thread."""
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Django would refuse its ORM beside a running event loop, which Playwright's sync API is.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGS)
        yield browser
        browser.close()


@pytest.fixture(autouse=True)
def _broker_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep messages to the background in memory, where nobody hears them and no file is left."""
    monkeypatch.setitem(app.conf, "broker_url", "memory://")
    monkeypatch.setitem(app.conf, "broker_transport_options", {})
    # Connections to the former broker are put aside, and restored afterwards.
    monkeypatch.setattr(app, "_pool", None)
    monkeypatch.setattr(app.amqp, "_producer_pool", None)


@pytest.fixture
def open_page(browser: Browser, sites: Sites) -> Iterator[OpenPage]:
    """Yield a function that opens a page of a fresh browser profile; its arguments are Playwright's."""
    contexts = []

    def opened(**options: Any) -> Page:
        context = browser.new_context(**options)
        context.set_default_timeout(10_000)
        contexts.append(context)
        return context.new_page()

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page()


@pytest.fixture(params=SIZES)
def visitor(request: pytest.FixtureRequest, open_page: OpenPage) -> Visitor:
    """A visitor at a desk, and then one with a phone."""
    return Visitor(open_page(viewport=SIZES[request.param], reduced_motion="reduce"), size=request.param)


@pytest.fixture
def seeded(sites: Sites) -> seeding.Seeded:
    return seeding.seed(workers=2)


@pytest.fixture
def desk(sites: Sites) -> Desk:
    """A worker who has accepted a HIT and not opened it yet."""
    return open_desk(sites)
