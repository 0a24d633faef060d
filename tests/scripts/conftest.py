"""A script on a page of its own in a real browser: no server, no database. Answers are the test's."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.contrib.staticfiles import finders
from playwright.sync_api import Browser, Page, Route, sync_playwright

from tests.needs import chromium

ORIGIN = "http://scripts.example"
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
    """A page, and what is behind it: `answers` says what comes back to an address."""

    page: Page
    html: str = ""
    _asked: list[Asked] = field(default_factory=list)
    answers: dict[str, Callable[[], Answer]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def open(self, body: str, *scripts: str, address: str = "/", clock: bool = False) -> Page:
        """Scripts by their static names; attributes may follow, as in `frame/beat.js data-beat="/beat/"`."""
        tags = "".join(_tag(script) for script in scripts)
        self.html = f'<!doctype html><html lang="en"><title>Bench</title>{tags}<main>{body}</main>'
        if clock:
            self.page.clock.install()
        self.page.goto(f"{ORIGIN}{address}")
        return self.page

    def asked(self, expected: int = 0) -> list[Asked]:
        """What the page has sent, address and fields, once that is as much as expected and no more is coming.

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


@pytest.fixture
def bench(browser: Browser) -> Iterator[Bench]:
    """A script that fails fails its test."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(3_000)
    made = Bench(page)
    page.on("pageerror", lambda error: made.errors.append(str(error)))
    page.route("**/*", made.answer)
    yield made
    context.close()
    assert made.errors == []
