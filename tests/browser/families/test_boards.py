"""A release's public page and a whole submission from outside, in a real browser."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from crowd.benchmarks.services import benchmark_results
from crowd.pictures.models import Picture
from crowd.releases.services import release_states
from hits.identity.roles import RESEARCHER
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in, make_staff
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.crowd.boards.making import items_of, open_board_of
from tests.crowd.releases.studies import make_of, release_of
from tests.factories import NOW, make_user

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("size", SIZES)
def test_a_model_comes_from_outside_and_stands_on_the_board(
    open_page: OpenPage, sites: Sites, size: str, tmp_path: Path
) -> None:
    researcher, study = make_staff(RESEARCHER), make_of("winoground", items=20)
    study.members.add(researcher.user)
    Picture.objects.update(status=Picture.Status.FIT)
    release = release_of(study, "winoground", split_seed=2, hides_test=True, title="Pairs of captions")
    release_states.publish_release(release=release, by=make_user(), now=NOW)
    inside, outside = (
        Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size) for _ in range(2)
    )
    log_in(inside.page, researcher, sites=sites)

    board, address = open_and_invite(inside, f"{sites.public}/admin/releases/release/{release.pk}/change/")
    public = look_at_the_data(outside, f"{sites.public}/data/")
    told = submit(outside, re.sub(r"https?://[^/]+", sites.public, address), folder=tmp_path)
    outside.page.goto(public)
    assert outside.page.get_by_text("Coins").count() == 0
    agree(inside, board)

    outside.visit("board-public-with-model", public)
    assert outside.page.get_by_role("row", name=re.compile("^Coins")).count() >= 2
    visible = sum(1 for item in items_of(release.benchmarks.get()) if not item.is_hidden)
    assert told == 20 > visible
    assert (inside.problems, outside.problems) == ({}, {})


def open_and_invite(visitor: Visitor, release: str) -> tuple[str, str]:
    """Open the page of a release and invite somebody. Returns the board's address and the link."""
    page = visitor.page
    page.goto(release)
    page.get_by_role("link", name="Public page and submissions").click()
    board = page.url
    visitor.visit("board-off", board)
    page.get_by_role("link", name="Settings").click()
    page.get_by_label("Models can be submitted from outside").check()
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("link", name="Open it to everybody").click()
    visitor.visit("board-open-question", page.url)
    page.get_by_role("button", name="Open it to everybody").click()
    page.get_by_text("The page is open").wait_for()
    benchmark_results.answer_benchmarks(now=NOW)
    page.get_by_role("link", name="Invite somebody").click()
    page.get_by_label("Name").fill("A lab elsewhere")
    page.get_by_role("button", name="Invite somebody").click()
    link = page.get_by_label("Copy this link").input_value()
    visitor.visit("board-invitation", page.url)
    return board, link


def look_at_the_data(visitor: Visitor, index: str) -> str:
    """Find the data among those that are published, and take a file. Returns their address."""
    page = visitor.page
    visitor.visit("board-index", index)
    page.get_by_role("link", name="Pairs of captions").click()
    public = page.url
    visitor.visit("board-public", public)
    with page.expect_download() as taken:
        page.get_by_role("link", name="examples.csv").click()
    assert taken.value.suggested_filename == "pairs-of-captions-1.0-examples.csv"
    return public


def submit(visitor: Visitor, link: str, *, folder: Path) -> int:
    """Take the items, send a bad file and a good one, twice by a double click. Returns how many items."""
    page = visitor.page
    visitor.visit("board-desk", link)
    with page.expect_download() as taken:
        page.get_by_role("link", name="Items without labels").click()
    items = folder / "items.jsonl"
    taken.value.save_as(items)
    told = [json.loads(line) for line in items.read_text().splitlines()]
    page.get_by_role("link", name="Submit predictions").click()
    visitor.visit("board-submit", page.url)
    page.get_by_label("Name of the model").fill("Coins")
    send(page, folder / "bad.jsonl", [{"example": told[0]["example"], "c0_i0": "much"}])
    page.get_by_text("Nothing of the file was kept").wait_for()
    assert page.get_by_label("Name of the model").input_value() == "Coins"
    scores = {"c0_i0": 2, "c0_i1": 1, "c1_i0": 1, "c1_i1": 2}
    send(page, folder / "good.jsonl", [{"example": one["example"], **scores} for one in told])
    page.get_by_text("over the split train").first.wait_for()
    visitor.visit("board-submission", page.url)
    visitor.visit("board-desk-after", link)
    assert page.get_by_text("Waits for a researcher").count() == 1
    return len(told)


def send(page: Page, file: Path, lines: list[dict[str, Any]]) -> None:
    file.write_text("\n".join(map(json.dumps, lines)))
    page.get_by_label("Predictions").set_input_files(file)
    page.get_by_role("button", name="Submit and score").dblclick()


def agree(visitor: Visitor, board: str) -> None:
    page = visitor.page
    visitor.visit("board-submissions", board)
    page.get_by_role("link", name="Coins").click()
    visitor.visit("board-one-submission", page.url)
    page.get_by_role("link", name="Put it on the board").click()
    page.get_by_role("button", name="Put it on the board").click()
    page.get_by_text("Coins stands on the board").wait_for()


@pytest.mark.parametrize("family", ["winogavil", "whoops", "winoventi"])
def test_public_pages_of_the_other_families(open_page: OpenPage, sites: Sites, family: str) -> None:
    study = make_of(family, items=4)
    Picture.objects.update(status=Picture.Status.FIT)
    board = open_board_of(release_of(study, family, picture_licences=["CC BY 4.0", "All rights reserved"]))
    benchmark_results.answer_benchmarks(now=NOW)

    for size, viewport in SIZES.items():
        visitor = Visitor(open_page(viewport=viewport, reduced_motion="reduce"), size=size)
        visitor.visit(f"board-public-{family}", f"{sites.public}/data/{board.release.public_id}/")
        assert visitor.problems == {}
