"""Annotating selected associations in a real browser: a researcher draws them, three people answer."""

import re
from random import Random

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from crowd.winogavil.annotation.domain import ASSOCIATION_TYPES, REASONING_SKILLS
from crowd.winogavil.annotation.models import Annotation, Kind
from crowd.winogavil.annotation.services.annotation_draw import Recipe, draw_annotations, plan_draw
from crowd.winogavil.annotation.services.final_annotations import finalize_annotations
from crowd.winogavil.demo.seeding import Seeded
from crowd.winogavil.models import Association, Place
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from tests.browser.conftest import OpenPage
from tests.browser.doors import log_in
from tests.browser.looking import Visitor
from tests.browser.stage import pick
from tests.conftest import Sites
from tests.crowd.winogavil.annotation.annotators import begin, hand_in, open_batch, solve
from tests.factories import NOW, make_account, make_batch, make_hit

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def study(seeded: Seeded) -> Study:
    """A study of the demo's associations, solved by people."""
    study: Study = seeded.batch.study
    Association.objects.filter(item__study=study).update(
        final_at=NOW, solvers_numerator=1, solvers_denominator=1
    )
    places = Place.objects.filter(association__item__study=study)
    places.filter(position__lt=2).update(predicted=True)
    places.filter(position__gte=2).update(predicted=False)
    return study


def drawn(study: Study, kind: Kind) -> None:
    recipe = Recipe(kind=kind)
    new = len(plan_draw(study=study, recipe=recipe).new)
    draw_annotations(study=study, recipe=recipe, seen=new, by=None, now=timezone.now())


def open_hit(study: Study, kind: Kind, *, sites: Sites, items: int = 2) -> str:
    """The address of an accepted HIT, at an endpoint without tickets."""
    account = make_account(worker_site=sites.marketplace, ticket_key="")
    batch = make_batch(
        study=study,
        account=account,
        task=kind.task,
        status="open",
        items_per_assignment=items,
        duration_s=3600,
    )
    hit: HIT = make_hit(batch=batch, sent_at=timezone.now())
    return (
        f"{sites.public}/q/{hit.public_id}/?assignmentId=A1&workerId=W1&hitId={hit.external_id}"
        f"&turkSubmitTo={sites.marketplace}"
    )


def preview_of(address: str) -> str:
    return f"{address.partition('?')[0]}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE"


def be_quiet(page: Page) -> None:
    """Answer heartbeats and submissions here: none reaches a server, or outlives the test."""
    page.route("**/beat/", lambda route: route.fulfill(status=204))
    page.route("**/mturk/externalSubmit", lambda route: route.fulfill(status=200, body="Handed in"))


def choice(page: Page, question: int, key: str) -> Locator:
    return page.locator("[data-question]").nth(question).locator(f'input[value="{key}"]')


def submit(page: Page) -> Locator:
    return page.get_by_role("button", name="Submit")


def answer_all(study: Study) -> None:
    """Let three people answer each annotation, mostly in agreement."""
    seeds = Random(7)
    labels = {Kind.TYPES: ASSOCIATION_TYPES, Kind.SKILLS: REASONING_SKILLS}
    for kind, known in labels.items():
        drawn(study, kind)
        batch = open_batch(study, kind)
        batch.items_per_assignment = 200
        batch.save()
        usual = {str(one.item.public_id): seeds.choice(known) for one in Annotation.objects.filter(kind=kind)}
        for _ in range(3):
            work, items = begin(batch)
            keys = [str(item.public_id) for item in items]
            hand_in(
                work, {key: [usual[key] if seeds.random() < 0.8 else seeds.choice(known)] for key in keys}
            )
    drawn(study, Kind.BASELINE)
    batch = open_batch(study, Kind.BASELINE)
    batch.items_per_assignment = 200
    batch.save()
    solve(batch, (0, 1), (0, 2), (1, 2))
    finalize_annotations(now=NOW)


def test_researcher_draws_follows_and_reads_the_figures(
    visitor: Visitor, seeded: Seeded, study: Study, sites: Sites
) -> None:
    page, admin = visitor.page, f"{sites.public}/admin/winogavil_annotation/annotation"
    study.members.add(seeded.researcher.user)
    log_in(visitor.page, seeded.researcher, sites=sites)
    visitor.visit("annotation-nothing", f"{admin}/{study.pk}/")

    visitor.visit("annotation-draw", f"{admin}/{study.pk}/draw/?kind=baseline")
    page.get_by_role("button", name="Preview the draw").click()
    page.get_by_text("answers will be needed").wait_for()
    visitor.visit("annotation-reckoned", page.url.partition("#")[0])
    page.get_by_role("button", name=re.compile("^Draw ")).click()
    page.get_by_text("Launch a batch that asks them.").wait_for()
    visitor.visit("annotation-drawn", page.url)
    page.get_by_role("link", name="Take back").click()
    page.get_by_role("button", name="Yes, take").wait_for()
    visitor.visit("annotation-take-back", page.url)
    page.get_by_role("button", name="Yes, take").click()
    page.get_by_text("They can be drawn again.").wait_for()
    answer_all(study)
    visitor.visit("annotation-figures", f"{admin}/{study.pk}/")
    visitor.visit("annotation-examples", f"{admin}/{study.pk}/examples/types/?label=visually_salient")
    visitor.visit("annotation-examples-baseline", f"{admin}/{study.pk}/examples/baseline/")
    visitor.visit("annotation-studies", f"{admin}/")

    assert visitor.problems == {}


@pytest.mark.parametrize("kind", [Kind.TYPES, Kind.SKILLS])
def test_annotators_pages_look_right(visitor: Visitor, study: Study, sites: Sites, kind: Kind) -> None:
    drawn(study, kind)
    address = open_hit(study, kind, sites=sites)
    be_quiet(visitor.page)

    visitor.visit(f"annotation-{kind.value}-preview", preview_of(address))
    visitor.visit(f"annotation-{kind.value}", address)
    visitor.page.locator("summary").first.click()
    choice(visitor.page, 0, "activity").check()
    visitor._keep_picture(f"annotation-{kind.value}-opened")

    assert visitor.problems == {}


def test_types_need_only_a_keyboard(page: Page, study: Study, sites: Sites) -> None:
    drawn(study, Kind.TYPES)
    be_quiet(page)
    page.goto(open_hit(study, Kind.TYPES, sites=sites))
    expect(page.get_by_role("status").first).to_have_text("Still to answer: question 1.")

    for question, steps in enumerate((1, 3)):
        choice(page, question, ASSOCIATION_TYPES[0]).focus()
        page.keyboard.press("Space")
        for _ in range(steps):
            page.keyboard.press("ArrowDown")
    expect(page.get_by_role("status").first).to_have_text("Ready to submit.")
    submit(page).focus()
    page.keyboard.press("Enter")
    page.get_by_text("Handed in").wait_for()

    [answer] = Assignment.objects.values_list("answer", flat=True)
    assert answer is not None
    assert sorted(answer.values()) == sorted([[ASSOCIATION_TYPES[1]], [ASSOCIATION_TYPES[3]]])


def test_none_of_these_stands_alone_and_a_reload_loses_nothing(
    page: Page, study: Study, sites: Sites
) -> None:
    drawn(study, Kind.SKILLS)
    be_quiet(page)
    page.goto(open_hit(study, Kind.SKILLS, sites=sites, items=1))
    button = submit(page)
    expect(button).to_have_attribute("aria-disabled", "true")

    choice(page, 0, "humor").check()
    choice(page, 0, "use_of").check()
    choice(page, 0, "none").check()
    expect(choice(page, 0, "humor")).not_to_be_checked()
    choice(page, 0, "attribute").check()
    expect(choice(page, 0, "none")).not_to_be_checked()
    choice(page, 0, "outcome").check()
    page.reload()
    for key, is_checked in {"attribute": True, "outcome": True, "none": False, "humor": False}.items():
        expect(choice(page, 0, key)).to_be_checked(checked=is_checked)
    button.click()
    page.get_by_text("Handed in").wait_for()

    [answer] = Assignment.objects.values_list("answer", flat=True)
    assert answer is not None
    assert list(answer.values()) == [["attribute", "outcome"]]


def test_labels_without_javascript_are_checked_by_the_server(
    open_page: OpenPage, study: Study, sites: Sites
) -> None:
    drawn(study, Kind.SKILLS)
    page = open_page(java_script_enabled=False)
    page.goto(open_hit(study, Kind.SKILLS, sites=sites, items=1))
    choice(page, 0, "none").check()
    choice(page, 0, "humor").check()

    submit(page).click()

    expect(page.get_by_role("alert")).to_contain_text("was chosen together with others")
    assert [row.answer for row in Assignment.objects.all()] == [None]


def test_baseline_is_the_solvers_page(visitor: Visitor, study: Study, sites: Sites) -> None:
    drawn(study, Kind.BASELINE)
    be_quiet(visitor.page)

    visitor.visit("annotation-baseline", open_hit(study, Kind.BASELINE, sites=sites, items=1))
    annotation = Annotation.objects.get(item__leases__isnull=False)
    for key in sorted(annotation.association.chosen_keys):
        pick(visitor.page.locator(f'input[value="{key}"]'))
    submit(visitor.page).click()
    visitor.page.get_by_text("Handed in").wait_for()

    assert visitor.problems == {}
    [answer] = Assignment.objects.values_list("answer", flat=True)
    assert answer == {str(annotation.item.public_id): sorted(annotation.association.chosen_keys)}
