"""The page that says why a worker may not work, and the search that leads to it."""

from datetime import timedelta
from fractions import Fraction

import pytest
from django.urls import reverse

from hits.identity.models.workers import Worker
from hits.identity.roles import RESEARCHER
from hits.people.models import Disclosure
from qualifications.models import Consent
from tests.browser.conftest import OpenPage
from tests.browser.doors import let_in
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.factories import NOW, make_assignment, make_consent_text, make_hit, make_study, make_user
from tests.factories import make_worker as known_worker
from tests.hits.people.test_open_work import make_open
from tests.people import make_member
from tests.qualifications.gates import TEST, make_gate, sit, toys  # noqa: F401
from tests.scoring.test_score_readers import make_score

pytestmark = [
    pytest.mark.needs_chromium,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("toys"),
]
EXTERNAL_ID = "A2PLANTEDWORKER"


def make_tested() -> Worker:
    """Make a worker who has failed one test and passed another, and whose scores go up."""
    study, worker = make_study(name="Association game"), known_worker(external_id=EXTERNAL_ID)
    make_open(worker, study=study, title="Solve riddles: which pictures belong to the word?")
    done = make_open(worker, title="Earlier riddles")
    sit(make_gate(study=study, name="Solver test"), Fraction(58, 100), Fraction(58, 100), worker=worker)
    other = make_gate(study=done.study, name="Spymaster test", test_task=TEST)
    sit(other, 1, 1, worker=worker)
    Consent.objects.create(worker=worker, text=make_consent_text(study=study), given_at=NOW)
    for number in range(12):
        work = make_assignment(
            hit=make_hit(batch=done, number=2 + number),
            worker=worker,
            status="approved",
            submitted_at=NOW + timedelta(hours=number),
        )
        make_score(work, measure="jaccard", value=Fraction(40 + 4 * number, 100))
        make_score(work, measure="fool", value=Fraction(90 - 3 * number, 100))
    return worker


@pytest.mark.parametrize("size", SIZES)
def test_a_workers_standing_and_scores_look_right(open_page: OpenPage, sites: Sites, size: str) -> None:
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    worker = make_tested()
    let_in(visitor.page, make_user(is_superuser=True), sites=sites)
    page = f"{sites.public}{reverse('admin:hits_worker_change', args=[worker.pk])}"

    visitor.visit("worker-standing", f"{page}?show=standing")
    visitor.visit("worker-scores", f"{page}?show=scores")
    visitor.visit("search-worker", f"{sites.public}{reverse('admin:search')}?q={EXTERNAL_ID}")

    assert "\n".join(f"{k}: {v}" for k, vs in visitor.problems.items() for v in vs) == ""


def test_one_search_leads_to_the_reason_with_the_keyboard_alone(open_page: OpenPage, sites: Sites) -> None:
    page, worker = open_page(), make_tested()
    user = make_user(is_superuser=True)
    let_in(page, user, sites=sites)
    page.goto(f"{sites.public}/admin/")

    page.keyboard.press("/")
    page.keyboard.type(EXTERNAL_ID)
    page.keyboard.press("Enter")
    page.get_by_label("Reason, for the record of who looked whom up").fill("They ask why they may not work")
    page.keyboard.press("Enter")

    page.get_by_role("heading", name=f"Worker {worker}").wait_for()
    page.get_by_text("✗ right: 58 %, above 80 % is needed").wait_for()
    page.get_by_text("because they have not passed the test").first.wait_for()
    assert Disclosure.objects.get().reason == "Searched by id: They ask why they may not work"


def test_a_researcher_sees_the_standing_in_the_own_study_alone(open_page: OpenPage, sites: Sites) -> None:
    page, worker = open_page(), make_tested()
    study = worker.attempts.select_related("gate__study").earliest("pk").gate.study
    let_in(page, make_member(RESEARCHER, study), sites=sites)

    page.goto(f"{sites.public}{reverse('admin:hits_worker_change', args=[worker.pk])}?show=standing")

    page.get_by_text("Solver test", exact=True).wait_for()
    assert page.get_by_text("Spymaster test").count() == 0
