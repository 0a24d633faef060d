"""Charts of how concrete a game's words are, drawn under the strict policy once a list is there."""

from io import BytesIO

import pytest
from playwright.sync_api import expect

from crowd.winogavil.releases.services.concreteness_lists import keep_list
from tests.browser.conftest import OpenPage
from tests.browser.doors import enter
from tests.browser.looking import SIZES, TELL_VIOLATIONS
from tests.conftest import Sites
from tests.crowd.winogavil.releases.data import make_final
from tests.factories import NOW, make_study, make_user

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
STYLED = "() => document.querySelectorAll('.chart style, .chart svg [style]').length"


@pytest.mark.parametrize("size", SIZES)
def test_concreteness_is_drawn_within_the_policy(open_page: OpenPage, sites: Sites, size: str) -> None:
    study = make_study(name="Words")
    for cue in ("tree", "hope", "idea"):
        make_final(study, cue=cue)
    ratings = BytesIO(b"word,rating\ntree,5\nhope,1.25\nidea,1.61\n")
    keep_list(study=study, file=ratings, by=make_user(), now=NOW)
    page = open_page(viewport=SIZES[size])
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.add_init_script(TELL_VIOLATIONS)
    enter(page, sites)

    page.goto(f"{sites.public}/admin/winogavil_releases/statistics/{study.pk}/")

    bars = page.get_by_role("img", name="Number of different cues by concreteness")
    expect(bars.locator("svg")).to_be_visible()
    bars.locator(".role-mark path").last.hover(force=True)
    expect(page.locator("#vg-tooltip-element")).to_contain_text("cues")
    expect(
        page.get_by_role("img", name="Mean Jaccard index of people and model by").locator("svg")
    ).to_be_visible()
    assert page.evaluate(STYLED) == 0
    assert heard == []
