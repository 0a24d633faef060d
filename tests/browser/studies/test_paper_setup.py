"""A researcher sets a study up as in a paper, from nothing, and looks at what it says afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, expect

from crowd.papers.models import PaperSetup
from crowd.winogavil.domain import CREATE, WINOGAVIL_TIERS
from hits.identity.roles import RESEARCHER
from hits.studies.models import StartingTerms, Study
from qualifications.models import Gate
from scoring.models import RegisteredRival
from scoring.services.rival_selection import rivals_of
from tests.browser.doors import let_in, log_in, make_staff
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.factories import NOW, make_study
from tests.people import make_member

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
MOST_CLICKS = 3


class Clicks:
    def __init__(self) -> None:
        self.count = 0

    def on(self, target: Locator) -> None:
        self.count += 1
        target.click()


@contextmanager
def at_most(most: int) -> Iterator[Clicks]:
    clicks = Clicks()
    yield clicks
    assert 0 < clicks.count <= most


def test_a_study_is_set_up_as_in_a_paper_in_three_clicks_from_nothing(page: Page, sites: Sites) -> None:
    rival = RegisteredRival.objects.create(
        name="clip-rn50", kind="clip", model="RN50", source="openai", path="clip-rn50",
        weights_sha256="0" * 64, added_at=NOW,
    )  # fmt: skip
    log_in(page, make_staff(RESEARCHER), sites=sites)

    with at_most(MOST_CLICKS) as clicks:
        clicks.on(page.locator(".model-study").get_by_role("link", name="Add"))
        page.get_by_label("Name:").fill("Werewolves")
        page.get_by_label("Lab:").fill("Lab")
        page.get_by_label("Budget:").fill("100")
        clicks.on(page.get_by_label("WinoGAViL: association game"))
        clicks.on(page.get_by_role("button", name="Make the study"))

    expect(page.get_by_text("As in WinoGAViL.")).to_be_visible()
    study = Study.objects.get(name="Werewolves")
    assert study.bonus_rules == [dict(rule) for rule in WINOGAVIL_TIERS]
    assert rivals_of(study)[0] == rival
    assert Gate.objects.filter(study=study, is_active=True).count() == 2
    assert str(StartingTerms.objects.get(study=study, task=CREATE).reward) == "0.07"
    assert PaperSetup.objects.get().study == study


def test_the_pages_of_a_set_up_look_right(visitor: Visitor, sites: Sites) -> None:
    study = make_study(name="Werewolves", bonus_rules=[])
    let_in(visitor.page, make_member(RESEARCHER, study), sites=sites)
    base = f"{sites.public}/admin/papers/papersetup/of-study/{study.pk}"

    visitor.visit("papers", f"{base}/")
    for key in ("winogavil", "winoventi", "winoground", "whoops"):
        visitor.visit(f"paper-{key}", f"{base}/{key}/")
    visitor.page.goto(f"{base}/winogavil/")
    visitor.page.get_by_label("Association game: create: reward, dollars").fill("0.10")
    visitor.page.get_by_role("button", name="Set up as in the paper").click()
    visitor.page.get_by_text("This study is set up.").wait_for()
    visitor.visit("paper-differs", f"{base}/winogavil/")
    visitor.visit("papers-after", f"{base}/")
    visitor.visit("paper-study", f"{sites.public}/admin/hits/study/{study.pk}/change/")

    assert visitor.problems == {}
