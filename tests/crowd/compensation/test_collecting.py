"""The page on which a worker collects a bonus."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from hits import families
from hits.identity.models.workers import Worker
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import compensation
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from scoring.services import score_recording as scoring
from tests.crowd.frame.test_question import SITE, token_of, visit
from tests.factories import NOW, make_account, make_assignment, make_hit, make_study
from tests.hits.refusals import make_payer, make_refused
from tests.pages import text_of

pytestmark = pytest.mark.django_db
PREVIEW = {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "workerId": "", "ticket": ""}


@pytest.fixture
def bonus() -> Bonus:
    account = make_account(worker_site=SITE, ticket_key="ticket-key")
    return make_refused(make_study(), account=account, worker="AWORKER")


@pytest.fixture
def hit(bonus: Bonus) -> HIT:
    """A HIT that is open at the provider, as the sweep leaves it."""
    payer = make_payer(bonus.assignment.hit.batch.study)
    return make_hit(batch=compensation.start(bonus=bonus, by=payer, now=NOW), external_id="HIT1")


def hand_in(client: Client, hit: HIT, token: str) -> Any:
    return client.post(f"/q/{hit.public_id}/answer/", {"token": token})


def test_page_says_what_the_bonus_is_for_and_how_much(client: Client, hit: HIT) -> None:
    page = visit(client, hit)

    html = page.content.decode()
    assert page.status_code == 200
    assert ("$0.27" in html, "Three of four." in html, "Collect the bonus" in html) == (True, True, True)
    assert "AWORKER" not in html.replace(str(page.context["token"]), "")


def test_preview_shows_it_and_records_nothing(client: Client, hit: HIT) -> None:
    before = (Worker.objects.count(), Assignment.objects.count())

    page = visit(client, hit, **PREVIEW)

    assert page.status_code == 200
    assert "The reward of this HIT is your bonus." in text_of(page)
    assert (Worker.objects.count(), Assignment.objects.count()) == before


def test_handing_in_saves_and_is_judged_without_a_score(client: Client, hit: HIT) -> None:
    page = hand_in(client, hit, token_of(visit(client, hit)))

    work = hit.assignments.get()
    Assignment.objects.filter(pk=work.pk).update(status="submitted", submitted_at=timezone.now())
    judged = scoring.judge_submitted(now=NOW)
    work.refresh_from_db()
    assert page.context["finish"].address == f"{SITE}/submit/signed/mturk/externalSubmit"
    assert (work.answer, judged, work.judged_at) == ({"collected": True}, 1, NOW)
    assert work.scores.count() == 0


def test_somebody_else_sees_nothing_of_it(client: Client, hit: HIT, bonus: Bonus) -> None:
    Assignment.objects.update(worker=make_assignment(hit=bonus.assignment.hit).worker)

    page = visit(client, hit)

    assert page.status_code == 403
    assert "Three of four." not in text_of(page)
    assert not hit.assignments.exists()


@pytest.mark.parametrize("still_pays", [True, False])
def test_review_page_says_what_it_was(client: Client, hit: HIT, bonus: Bonus, still_pays: bool) -> None:
    work = make_assignment(hit=hit, worker=bonus.assignment.worker, answer={"collected": True})
    if not still_pays:
        Bonus.objects.update(compensation=None)

    page = families.get("compensation").review_page(assignment=work, items=[])

    assert page.template == "compensation/review.html"
    told = {"amount": bonus.amount, "currency": "USD", "reason": "Three of four."}
    wanted = told if still_pays else None
    assert page.context == {"bonus": wanted, "is_collected": True}


@pytest.mark.parametrize("answer", [None, {}, {"collected": True}, ["x"]])
def test_whatever_comes_back_from_the_provider_is_an_answer(answer: Any) -> None:
    assert families.get("compensation").check_answer(answer=answer, items=[]) == {"collected": True}
