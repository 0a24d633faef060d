"""A researcher rehearses a draft from its check page, reads the report, and compares two designs."""

from decimal import Decimal

import pytest
from playwright.sync_api import Page, expect

from crowd.plain.domain import ASK
from crowd.rehearsal.models import Rehearsal
from hits.identity.roles import RESEARCHER
from hits.studies.models import Batch
from tests.browser.doors import let_in
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.crowd.plain.making import asked_project
from tests.crowd.rehearsal.test_rehearsal_pages import ask, play
from tests.factories import make_association, make_batch, make_study
from tests.people import make_member

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def draft() -> Batch:
    study = make_study(wage_floor="7.25")
    for _ in range(3):
        make_association(study=study)
    return make_batch(study=study, hits_wanted=3, title="Which pictures go with the word?")


@pytest.fixture
def own_questions() -> Batch:
    """A draft that asks until an answer is sure."""
    study = make_study(budget=Decimal(100))
    project = asked_project(
        *(f"Sentence {number}" for number in range(12)), study=study, answers_wanted=2, answers_most=5
    )
    return make_batch(
        study=project.study, task=ASK, hits_wanted=8, assignments_per_hit=1, items_per_assignment=3
    )


def enter(page: Page, draft: Batch, *, sites: Sites) -> str:
    let_in(page, make_member(RESEARCHER, draft.study), sites=sites)
    return f"{sites.public}/admin/hits/batch/{draft.pk}/launch/"


def test_a_draft_is_rehearsed_from_its_check_page(page: Page, draft: Batch, sites: Sites) -> None:
    page.goto(enter(page, draft, sites=sites))
    page.get_by_role("link", name="Rehearse").click()
    expect(page.get_by_text("It has not been rehearsed yet.")).to_be_visible()
    page.get_by_role("link", name="Rehearse…").click()
    page.get_by_label("Workers", exact=True).fill("8")
    page.get_by_label("Runs", exact=True).fill("1")
    page.locator("main form").get_by_role("button").first.click()

    expect(page.get_by_text("Waiting to be played")).to_be_visible()
    play(Rehearsal.objects.get())

    # The page follows by itself.
    expect(page.get_by_role("heading", name="What the answers rest on")).to_be_visible()


def test_its_pages_look_right(visitor: Visitor, draft: Batch, sites: Sites) -> None:
    launch = enter(visitor.page, draft, sites=sites)
    few, many = ask(draft, workers=2), ask(draft, workers=20, throttled=20, killed=20)
    for rehearsal in (few, many):
        play(rehearsal)
    below = launch.partition("/hits/")[0] + "/rehearsal/rehearsal"

    visitor.visit("rehearsals", f"{below}/of-batch/{draft.pk}/")
    visitor.visit("rehearse", f"{below}/of-batch/{draft.pk}/rehearse/")
    visitor.visit("rehearsed", f"{below}/{many.pk}/report/")
    visitor.visit(
        "rehearsals-compared", f"{below}/of-batch/{draft.pk}/compared/?one={few.pk}&other={many.pk}"
    )

    assert visitor.problems == {}


def test_what_asking_until_sure_saves_looks_right(
    visitor: Visitor, own_questions: Batch, sites: Sites
) -> None:
    launch = enter(visitor.page, own_questions, sites=sites)
    rehearsal = play(ask(own_questions, workers=12, skill=80, runs=2))

    visitor.visit(
        "rehearsed-beside", f"{launch.partition('/hits/')[0]}/rehearsal/rehearsal/{rehearsal.pk}/report/"
    )

    expect(visitor.page.get_by_role("heading", name="Beside another design")).to_be_visible()
    expect(visitor.page.get_by_role("columnheader", name="3 people for each row")).to_be_visible()
    expect(visitor.page.get_by_text("answers for each row instead of 3.00")).to_be_visible()
    assert visitor.problems == {}
