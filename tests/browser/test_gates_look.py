"""Gates in a real browser: the pages about them, grading with the keyboard, and where a worker stands."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from crowd.statement import statement_links
from hits.studies.models import Study
from qualifications.models import Attempt, ConsentText, Gate, PlatformType, RefusalCount
from qualifications.services.gate_holdings import revoke
from qualifications.services.test_attempts import follow_tests
from tests.browser.doors import let_in
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.factories import make_account, make_assignment, make_batch, make_study, make_user
from tests.hits.review.test_review_pages import make_works
from tests.qualifications.gates import (
    make_candidate,
    make_gate,
    make_test_hit,
    make_work_hit,
    sit,
    toys,  # noqa: F401 - a fixture
)

pytestmark = [
    pytest.mark.needs_chromium,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("toys"),
]


def make_busy() -> tuple[Gate, Gate]:
    """Create a study with a gate in use, one that a person grades, and attempts in several states."""
    now, study = timezone.now(), make_study(name="Visual associations")
    solver = make_gate(
        study=study,
        name="Solver test",
        description="Ten words: pick the pictures that belong to each.",
        retest_after_days=30,
        floors=[{"measure": "right", "below": 60, "last": 20}],
    )
    walk = make_gate(study=study, name="Walk", test_task="toy.walk", opens=[], grading="person", rules=[])
    PlatformType.objects.create(gate=solver, account=make_account(), status="ready", external_id="3TYPE")
    PlatformType.objects.create(
        gate=solver, account=make_account(), status="refused", problem="The account has no such right."
    )
    attempts = [sit(solver, *scores, now=now) for scores in [(1, 1)] * 4 + [(0, 1)] * 2]
    for attempt in attempts[:3]:
        hit = make_work_hit(solver, account=attempt.worker.account)
        make_assignment(hit=hit, worker=attempt.worker, status="approved", opened_at=now)
    revoke(gate=solver, worker=attempts[3].worker, by=make_user(), reason="Copied answers.", now=now)
    make_candidate(solver, opened_at=now, submitted_at=now - timedelta(hours=5))
    for code, count in (("not_tested", 41), ("blocked", 2)):
        RefusalCount.objects.create(study=study, code=code, day=now.date(), count=count)
    return solver, walk


def make_waiting(walk: Gate, count: int) -> list[Attempt]:
    """Create attempts that wait for grading. Answers to an association stand in for those to a walk."""
    batch = make_batch(study=walk.study, status="open", review_by="hand")
    for number, work in enumerate(make_works(count=count, batch=batch)):
        at = timezone.now() - timedelta(hours=count - number)
        about = {"worker": work.worker, "assignment": work, "status": "waiting"}
        Attempt.objects.create(gate=walk, started_at=at, handed_in_at=at, **about)
    return list(Attempt.objects.filter(gate=walk).order_by("pk"))


def enter_as_member(page: Page, *, study: Study, sites: Sites) -> str:
    staff = make_user(is_superuser=True)
    study.members.add(staff)
    let_in(page, staff, sites=sites)
    return f"{sites.public}/admin/qualifications"


def test_pages_of_gates_look_right(visitor: Visitor, sites: Sites) -> None:
    empty = make_study(name="A new study")
    admin = enter_as_member(visitor.page, study=empty, sites=sites)
    visitor.visit("gates-funnel-empty", f"{admin}/gate/funnel/{empty.pk}/")
    visitor.visit("gates-grading-empty", f"{admin}/attempt/grading/")
    solver, walk = make_busy()
    study = solver.study_id
    waiting = make_waiting(walk, 2)
    holding = solver.holdings.order_by("pk")[0]

    visitor.visit("gates", f"{admin}/gate/")
    visitor.visit("gates-presets", f"{admin}/gate/add/?study={study}")
    visitor.visit("gates-one", f"{admin}/gate/{solver.pk}/change/")
    visitor.visit("gates-edit", f"{admin}/gate/{solver.pk}/edit/")
    visitor.visit("gates-switch", f"{admin}/gate/{solver.pk}/switch/?to=off")
    visitor.visit("gates-attempts", f"{admin}/attempt/?gate={solver.pk}")
    visitor.visit("gates-grading", f"{admin}/attempt/grading/?at={waiting[0].pk}")
    visitor.visit("gates-holdings", f"{admin}/holding/?gate={solver.pk}")
    visitor.visit("gates-holding", f"{admin}/holding/{holding.pk}/change/")
    visitor.visit("gates-give", f"{admin}/holding/give/{solver.pk}/")
    visitor.visit("gates-funnel", f"{admin}/gate/funnel/{study}/")

    assert visitor.problems == {}


def test_tests_are_graded_with_the_keyboard_alone(page: Page, sites: Sites) -> None:
    _, walk = make_busy()
    waiting = make_waiting(walk, 3)
    admin = enter_as_member(page, study=walk.study, sites=sites)
    page.goto(f"{admin}/attempt/grading/")
    expect(page.get_by_role("heading", level=2).first).to_have_text(f"Walk: {waiting[0].worker}")

    page.keyboard.press("p")
    expect(page.get_by_role("heading", level=2).first).to_have_text(f"Walk: {waiting[1].worker}")
    page.keyboard.press("d")
    page.keyboard.type("The second step is missing.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=2).first).to_have_text(f"Walk: {waiting[2].worker}")
    page.keyboard.press("z")
    page.get_by_text("Graded already").wait_for()
    page.keyboard.press("p")
    expect(page.get_by_role("heading", level=2).first).to_have_text(f"Walk: {waiting[2].worker}")

    graded = Attempt.objects.filter(gate=walk).order_by("pk").values_list("status", flat=True)
    assert list(graded) == ["passed", "passed", "waiting"]


def test_where_a_worker_stands_looks_right(visitor: Visitor, sites: Sites) -> None:
    now = timezone.now()
    solver, walk = make_busy()
    ConsentText.objects.create(
        study=solver.study, version=1, title="What we do with your answers", text="T.", published_at=now
    )
    failed = solver.attempts.filter(status="failed")[0]
    make_test_hit(walk, account=failed.worker.account, title="One noun, step by step")
    follow_tests(now=now)
    assert failed.assignment is not None
    nothing = make_assignment(status="approved")
    for name, work in (("failed", failed.assignment), ("nothing", nothing)):
        token = statement_links.write_token(assignment=work, now=now)
        visitor.visit(f"standing-{name}", f"{sites.public}/statement/{token}/standing/")
    visitor.page.get_by_role("link", name="Your work and your pay").click()
    expect(visitor.page.get_by_role("heading", level=1)).to_have_text("Your work and your pay")

    assert visitor.problems == {}
