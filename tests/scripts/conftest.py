"""A script on a page of its own in a real browser: no server, no database. The test gives all answers."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.contrib.staticfiles import finders
from playwright.sync_api import Browser, Error, Page, Route, sync_playwright

from tests.needs import chromium

ORIGIN = "http://scripts.example"
# No page asks about unsaved work when the next test opens its own.
HEAD = "<script>addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), true)</script>"
CLEAR = "sessionStorage.clear(); localStorage.clear()"
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
MODULE = re.compile(r"^(?:import|export) ", re.MULTILINE)
Answer = tuple[int, object]
Asked = tuple[str, dict[str, str]]


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Django would refuse its ORM beside a running event loop, which Playwright's sync API is.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGS)
        yield browser
        browser.close()


@dataclass
class Bench:
    """A page and the answers of its server: `answers` maps an address to what comes back."""

    page: Page
    html: str = ""
    _asked: list[Asked] = field(default_factory=list)
    answers: dict[str, Callable[[], Answer]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def open(self, body: str, *scripts: str, address: str = "/", before: str = "") -> Page:
        """Open a page with scripts by static name; attributes may follow: `frame/beat.js data-beat="/x/"`."""
        tags = "".join(_tag(script) for script in scripts)
        head = f"<title>Bench</title>{HEAD}<script>{before}</script>{tags}"
        self.html = f'<!doctype html><html lang="en">{head}<main>{body}</main>'
        self.page.goto(f"{ORIGIN}{address}")
        return self.page

    def asked(self, expected: int = 0) -> list[Asked]:
        """Address and fields of the requests sent, once they are as many as expected and no more is coming.

        A form's own request is no script's: the browser begins it a moment after it was sent.
        """
        deadline = monotonic() + 3
        while len(self._sent()) < expected and monotonic() < deadline:
            self.page.wait_for_timeout(5)
        self.page.wait_for_timeout(20)
        self.page.evaluate("fetch('/fence/', { method: 'POST' }).then((answer) => answer.status)")
        return self._sent()

    def _sent(self) -> list[Asked]:
        return [asked for asked in self._asked if asked[0] != "/fence/"]

    def answer(self, route: Route) -> None:
        url = urlsplit(route.request.url)
        if url.path.startswith("/static/"):
            found = finders.find(url.path.removeprefix("/static/"))
            route.fulfill(path=found or "", content_type="text/javascript")
        elif url.path in self.answers:
            self._record(route)
            status, content = self.answers[url.path]()
            body = content if isinstance(content, str) else json.dumps(content)
            route.fulfill(status=status, body=body, content_type="text/html")
        elif route.request.method == "GET":
            route.fulfill(body=self.html, content_type="text/html; charset=utf-8")
        else:
            self._record(route)
            route.fulfill(status=204)

    def _record(self, route: Route) -> None:
        sent = route.request.post_data or ""
        self._asked.append((urlsplit(route.request.url).path, dict(parse_qsl(sent))))


def _tag(script: str) -> str:
    name, _, attributes = script.partition(" ")
    source = Path(str(finders.find(name))).read_text()
    kind = 'type="module"' if MODULE.search(source) else "defer"
    return f'<script src="/static/{name}" {kind} {attributes}></script>'


@pytest.fixture(scope="package")
def real_time(browser: Browser) -> Page:
    """A page with real time. Pages are costly: each test opens an address of its own in one of two."""
    return _blank(browser)


@pytest.fixture(scope="package")
def own_time(browser: Browser) -> Page:
    page = _blank(browser)
    page.clock.install()
    return page


def _blank(browser: Browser) -> Page:
    page = browser.new_page()
    page.set_default_timeout(3_000)
    return page


@pytest.fixture
def bench(real_time: Page) -> Iterator[Bench]:
    with _opened(real_time) as bench:
        yield bench


@pytest.fixture
def clocked(own_time: Page) -> Iterator[Bench]:
    """A bench whose time passes only when the test calls `page.clock.run_for`."""
    with _opened(own_time) as bench:
        yield bench


@contextmanager
def _opened(page: Page) -> Iterator[Bench]:
    """Yield a bench. A script that raises an error fails its test."""
    bench = Bench(page)

    def note(error: Error) -> None:
        bench.errors.append(str(error))

    page.on("pageerror", note)
    page.route("**/*", bench.answer)
    yield bench
    bench.html = ""
    page.goto(ORIGIN)  # without the obstacles of the test
    page.evaluate(CLEAR)
    page.unroute_all()
    page.remove_listener("pageerror", note)
    assert bench.errors == []
