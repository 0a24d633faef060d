"""The time from the key that decides on a work until the next one is there: on one page, and page by page.

Run it from the top folder: python -m tests.bench.browsing.review
It needs Chromium. Both ways take turns in one run, on one server; what counts is the ratio of their medians.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.in_process import product
from tests.bench.servers import started
from tests.bench.web_servers import wait_for_health
from tests.needs import chromium

ROUNDS = int(os.environ.get("ROUNDS", "30"))
# What a quick reviewer takes to look at a work.
LOOKS_MS = 600
SERVER = "granian"
NAME, PASSWORD = "reviewer", "a long enough one"
SHOWN, READY = "#work-heading", "main:not([aria-busy]) #work-heading"


@dataclass(kw_only=True)
class Way:
    """A tab at a batch of its own, and the seconds until each next work was seen and could be decided on."""

    name: str
    page: Any
    workers: list[str]
    shown: list[float] = field(default_factory=list)
    ready: list[float] = field(default_factory=list)

    def decide(self, number: int) -> None:
        self.page.wait_for_timeout(LOOKS_MS)
        began = time.perf_counter()
        self.page.keyboard.press("a")
        for heading, seconds in ((SHOWN, self.shown), (READY, self.ready)):
            self.page.locator(heading, has_text=self.workers[number + 1]).wait_for()
            seconds.append(time.perf_counter() - began)

    def line(self) -> str:
        shown, ready = (1000 * median(seconds) for seconds in (self.shown, self.ready))
        return f"{self.name:>14}: seen after {shown:.0f} ms, can be decided on after {ready:.0f} ms\n"


def main() -> int:
    with product(), started(SERVER, Path(os.environ["CROWD_DATA_DIR"])) as server:
        batches = seed()
        wait_for_health(server)
        url = f"http://127.0.0.1:{server.port}"
        with signed_in(url) as context:
            with_script, with_load = (
                Way(name=name, page=open_page(context, url, batch, swaps=swaps), workers=workers)
                for name, swaps, (batch, workers) in zip(
                    ("on one page", "page by page"), (True, False), batches.items(), strict=True
                )
            )
            for number in range(ROUNDS):
                with_script.decide(number)
                with_load.decide(number)
    sys.stdout.write(with_script.line() + with_load.line())
    ratio = median(with_load.shown) / median(with_script.shown)
    until_ready = median(with_load.ready) / median(with_script.ready)
    sys.stdout.write(f"seen {ratio:.1f} times as fast, decided on {until_ready:.1f} times as fast\n")
    return 0 if ratio > 1 else 1


def seed() -> dict[int, list[str]]:
    """Make a reviewer, and two batches with work that waits; return the workers in order by batch."""
    from tests.factories import make_batch, make_user  # noqa: PLC0415
    from tests.hits.review.test_review_pages import make_works  # noqa: PLC0415

    make_user(username=NAME, password=PASSWORD, is_superuser=True)
    batches = {}
    for _ in range(2):
        batch = make_batch(status="open", review_by="hand")
        works = make_works(count=ROUNDS + 2, batch=batch)
        batches[batch.pk] = [work.worker.pseudonym for work in works]
    return batches


@contextmanager
def signed_in(url: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{url}/admin/login/")
        page.get_by_label("Username").fill(NAME)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("heading", name="Home", exact=True).wait_for()
        yield context
        browser.close()


def open_page(context: Any, url: str, batch: int, *, swaps: bool) -> Any:
    """Open the review of a batch; without the script that swaps, its keys lead from page to page."""
    page = context.new_page()
    if not swaps:
        page.route("**/onward*.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
    page.goto(f"{url}/admin/hits/assignment/review/?state=waiting&batch={batch}")
    return page


if __name__ == "__main__":
    sys.exit(main())
