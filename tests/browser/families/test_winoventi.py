"""The exception procedure in a real browser: one noun passes from a generic to a published pair."""

from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from crowd.winoventi import domain
from crowd.winoventi.challenge.exporting.columns import PUBLISHED
from crowd.winoventi.models import (
    Alternative,
    Choice,
    FilterScore,
    Generic,
    Judgement,
    PieceScoring,
    Premise,
    Project,
    Step,
)
from crowd.winoventi.procedure.services.collected_answers import take_answers
from crowd.winoventi.procedure.services.project_rules import pass_alternatives
from crowd.winoventi.procedure.services.projects import open_project
from crowd.winoventi.procedure.services.step_items import advance
from hits.work.models.assignments import Assignment
from hits.work.models.leases import Lease
from tests.browser.conftest import OpenPage
from tests.browser.doors import enter
from tests.browser.families.test_annotation import be_quiet, preview_of
from tests.browser.looking import Visitor
from tests.browser.sitting import Room, entry, fault, pick, submit, write
from tests.conftest import Sites
from tests.crowd.winoventi.question_pages.asked import make_generic, open_batch
from tests.factories import make_hit, make_study

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
SENTENCE = "The guests found the apple [sweet / rotten]."
PICKS = ("generic_synonym", "exception_synonym", "exception_fits_generic", "generic_fits_exception")
TASKS = (*domain.TASKS, domain.WALK)


class Desk(Room):
    def __init__(self, open_page: OpenPage, project: Project, *, sites: Sites) -> None:
        super().__init__(open_page, project.study, sites=sites)
        self.project = project

    def go_on(self, kind: str) -> None:
        """Count the answers as the background does, and let them into the next step as a person does."""
        now = timezone.now()
        take_answers(now=now)
        advance(project=self.project, kind=kind, now=now)


@pytest.fixture
def desk(open_page: OpenPage, sites: Sites) -> Desk:
    return Desk(open_page, open_project(study=make_study()), sites=sites)


def favor_the_generic() -> None:
    """Record a score of the filter's model that lets the alternative pass."""
    alternative = Alternative.objects.get(state=Alternative.State.GIVEN)
    FilterScore.objects.create(
        alternative=alternative,
        way=PieceScoring.PROPERLY,
        p_generic=0.5,
        p_exception=0.1,
        passes=True,
        scored_at=timezone.now(),
    )
    pass_alternatives(now=timezone.now())


def walk(desk: Desk) -> Premise:
    """Take a noun through all workers' pages, by seven workers. Publication comes after this."""
    make_generic(desk.project)
    advance(project=desk.project, kind=Step.Kind.EXCEPTIONS, now=timezone.now())

    page = desk.sit_down(domain.EXCEPTIONS)
    expect(page.locator(".statement")).to_have_text("The apple is edible.")
    pick(page, "makes_sense", "yes")
    write(page, {"exception_1": "not edible"})
    submit(page).click()
    expect(fault(page, "exception_1")).to_contain_text("more than one word")
    expect(entry(page, "exception_1")).to_be_focused()
    page.reload()
    expect(entry(page, "exception_1")).to_have_value("not edible")
    write(page, {"exception_1": "Inedible"})
    desk.hand_in(page)
    take_answers(now=timezone.now())
    favor_the_generic()
    desk.go_on(Step.Kind.PREMISES)

    page = desk.sit_down(domain.PREMISES)
    write(page, {"sentence": SENTENCE.replace("rotten", "gone bad"), "generic_word": "sweet"})
    submit(page).click()
    expect(fault(page, "sentence")).to_contain_text("exactly one word")
    expect(fault(page, "exception_word")).to_contain_text("Write the word here")
    write(page, {"sentence": SENTENCE, "exception_word": "mouldy"})
    expect(page.locator("[data-said]")).to_contain_text("is not in its brackets")
    write(page, {"exception_word": "rotten"})
    expect(page.locator("[data-said]")).to_be_empty()
    expect(page.locator('[data-with="exception_word"]')).to_have_text("The guests found the apple rotten.")
    desk.hand_in(page)
    desk.go_on(Step.Kind.VALIDATIONS)

    for _ in range(3):
        page = desk.sit_down(domain.VALIDATE)
        for name in PICKS[1:]:
            pick(page, name, "no")
        submit(page).click()
        expect(fault(page, PICKS[0])).to_contain_text("Choose one")
        pick(page, PICKS[0], "no")
        desk.hand_in(page)
    desk.go_on(Step.Kind.CHOICES)

    for _ in range(2):
        page = desk.sit_down(domain.CHOOSE)
        is_bad = "rotten" in page.locator("form .prompt").inner_text()
        pick(page, "choice", "inedible" if is_bad else "edible")
        desk.hand_in(page)
    take_answers(now=timezone.now())
    return Premise.objects.get()


def take_published(desk: Desk) -> list[list[str]]:
    """Rows of cells of the file that a researcher downloads of the study."""
    page = desk.open_page()
    enter(page, desk.sites)
    page.goto(f"{desk.sites.public}{reverse('admin:winoventi_project_change', args=[desk.project.pk])}")
    page.get_by_role("link", name="Take the challenge set out").click()
    with page.expect_download() as taken:
        page.get_by_role("button", name="Export").click()
    lines = Path(taken.value.path()).read_text().splitlines()
    return [line.split("\t") for line in lines]


def test_noun_walks_from_a_generic_to_a_published_pair_by_different_workers(desk: Desk) -> None:
    premise = walk(desk)
    published = take_published(desk)

    assert (premise.sentence, premise.state) == (SENTENCE, Premise.State.VALID)
    assert (premise.generic, premise.exception) == ("edible", "inedible")
    assert Generic.objects.get().state == Generic.State.ANSWERED
    assert Judgement.objects.count() == 3
    assert list(Choice.objects.values_list("is_right", flat=True)) == [True, True]
    assert len(set(Lease.objects.values_list("worker", flat=True))) == 7
    sweet, rotten = "The guests found the apple sweet.", "The guests found the apple rotten."
    both = ["apple", "edible", "inedible", sweet, rotten]
    assert published == [
        [column.name for column in PUBLISHED],
        [*both, f"{sweet} The apple is [MASK].", "edible", "inedible", "generic"],
        [*both, f"{rotten} The apple is [MASK].", "inedible", "edible", "exception"],
    ]


def test_bad_input_is_explained_without_scripts_and_nothing_is_lost(desk: Desk) -> None:
    make_generic(desk.project)
    advance(project=desk.project, kind=Step.Kind.EXCEPTIONS, now=timezone.now())
    page = desk.sit_down(domain.EXCEPTIONS, java_script_enabled=False)
    write(page, {"exception_1": "edible", "exception_2": "not edible", "exception_3": "plastic"})

    submit(page).click()

    expect(page.get_by_role("alert")).to_contain_text("Choose one of the answers")
    expect(page.get_by_role("alert").get_by_role("link")).to_have_count(2)
    expect(fault(page, "exception_2")).to_contain_text("more than one word")
    expect(entry(page, "exception_3")).to_have_value("plastic")
    pick(page, "makes_sense", "yes")
    write(page, {"exception_2": ""})
    submit(page).click()
    expect(page.get_by_role("alert")).to_contain_text("the word of the statement itself")
    expect(entry(page, "exception_3")).to_have_value("plastic")
    assert Assignment.objects.get().answer is None

    submit(page).click()

    expect(page.get_by_role("button", name="Finish submitting")).to_be_visible()
    [answer] = Assignment.objects.values_list("answer", flat=True)
    assert answer is not None
    assert list(answer.values()) == [
        {"makes_sense": "yes", "exception_1": "edible", "exception_2": "", "exception_3": "plastic"}
    ]


def test_pages_look_right(visitor: Visitor, desk: Desk) -> None:
    page = visitor.page
    be_quiet(page)
    for task in TASKS:
        name = task.replace(".", "-")
        batch = open_batch(task, items=2 if task != domain.WALK else 1, account=desk.account, duration_s=3600)
        address = desk.address_in(make_hit(batch=batch, sent_at=timezone.now()))
        visitor.visit(f"{name}-preview", preview_of(address))
        visitor.visit(name, address)
        page.locator("details.guide > summary").evaluate_all("all => all.forEach((one) => one.click())")
        visitor._keep_picture(f"{name}-guide-{visitor._size}")
        # Sent without the page's own validation.
        with page.expect_navigation():
            page.evaluate("document.querySelector('form[data-asking]').submit()")
        expect(page.get_by_role("alert")).to_be_visible()
        if found := visitor._look():
            visitor.problems[f"{name}-again"] = found
        visitor._keep_picture(f"{name}-again-{visitor._size}")

    assert visitor.problems == {}
