"""Consent withdrawn in the middle of work, over HTTP: the page's promises hold until all is paid."""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from crowd.statement import statement_links
from crowd.winogavil.models import Association
from hits.core.states import move
from hits.data.services import batch_export
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import accrual, paying
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.leases import Lease
from qualifications.models import Consent
from qualifications.services import consenting
from scoring.models import Score
from scoring.services.score_recording import judge_submitted
from tests.crowd.frame.test_asking import address, agree, open_hit, visit
from tests.crowd.frame.test_question import send, token_of
from tests.factories import approve, make_association, make_batch, make_consent_text, make_hit
from tests.pages import text_of
from tests.qualifications.platforms import turk
from tests.stubbed import StubbedTurk

__all__ = ["turk"]
pytestmark = pytest.mark.django_db
Status = Assignment.Status
# Points in the life of a piece of work at which its worker withdraws consent.
POINTS = ("while the page is open", "after handing in", "after judging", "after owing")


class Life:
    """One piece of work, step by step, with the worker's browser and the worker's statement."""

    def __init__(self, turk: StubbedTurk) -> None:
        self.turk, self.client = turk, Client()
        self.hit = open_hit(ticket_key="ticket-key")
        self.text = make_consent_text(study=self.hit.batch.study)
        agree(self.client, visit(self.client, self.hit))
        self.page = visit(self.client, self.hit)
        self.now: datetime = timezone.now()

    @property
    def work(self) -> Assignment:
        return Assignment.objects.select_related("hit__batch__study", "worker").get(hit=self.hit)

    def go(self) -> Iterator[str]:
        """Pause at each point of the work's life, and then go on with what the worker has been promised."""
        yield POINTS[0]
        picks = sorted(Association.objects.get().chosen_keys)
        assert send(self.client, self.hit, token_of(self.page), picks).status_code == 200
        move(self.work, Status.SUBMITTED, submitted_at=self.now)
        yield POINTS[1]
        judge_submitted(now=self.now)
        yield POINTS[2]
        move(self.work, Status.APPROVED, approved_at=self.now)
        self.sweep()
        accrual.owe_bonuses(now=self.now)
        yield POINTS[3]
        self.sweep()
        approve(Bonus.objects.all())
        self._let_the_provider_know()
        paying.pay_bonuses(now=self.now)

    def sweep(self) -> None:
        consenting.take_work_out(now=timezone.now())

    def take_back(self, work: str) -> Any:
        token = statement_links.write_token_for(
            worker=self.work.worker, study=self.hit.batch.study, now=timezone.now()
        )
        form = {"deed": "withdraw", "study": str(self.hit.batch.study.public_id), "work": work}
        return self.client.post(f"/statement/{token}/consent/", form, follow=True)

    def exported(self, *, include_excluded: bool) -> list[str]:
        rows = batch_export.export_batch(batch=self.hit.batch, include_excluded=include_excluded)
        return [row["worker"] for row in rows]

    def _let_the_provider_know(self) -> None:
        work = self.work
        self.turk.assignments[work.external_id] = {
            "AssignmentId": work.external_id,
            "HITId": work.hit.external_id,
            "WorkerId": work.worker.external_id,
            "AssignmentStatus": "Approved",
        }


def live(turk: StubbedTurk, *, point: str, work: str) -> Life:
    life = Life(turk)
    for reached in life.go():
        if reached == point:
            assert "Your consent is withdrawn." in text_of(life.take_back(work))
    return life


@pytest.mark.parametrize("work", ["stays", "out"])
@pytest.mark.parametrize("point", POINTS)
def test_work_that_was_begun_is_handed_in_and_paid(turk: StubbedTurk, point: str, work: str) -> None:
    live(turk, point=point, work=work)

    bonus = Bonus.objects.get()
    assert (bonus.status, bonus.amount) == (Bonus.Status.SENT, Decimal("0.01"))
    assert [Decimal(row["BonusAmount"]) for row in turk.bonuses] == [Decimal("0.01")]


@pytest.mark.parametrize("point", POINTS)
def test_work_that_was_to_leave_the_data_is_in_no_file(turk: StubbedTurk, point: str) -> None:
    """No file has it, not even one with excluded work. Other workers are asked instead."""
    life = live(turk, point=point, work="out")

    assert life.work.kept_out
    assert [life.exported(include_excluded=also) for also in (False, True)] == [[], []]
    assert [lease.status for lease in Lease.objects.all()] == ["released"]
    assert Consent.objects.get().taken_out_at is not None
    assert "Your work is out of the data" in text_of(life.take_back("out"))


@pytest.mark.parametrize("point", POINTS)
def test_work_that_was_to_stay_stays_under_its_pseudonym(turk: StubbedTurk, point: str) -> None:
    life = live(turk, point=point, work="stays")

    pseudonym = life.work.worker.pseudonym
    assert [life.exported(include_excluded=also) for also in (False, True)] == [[pseudonym]] * 2
    assert (life.work.kept_out, Score.objects.count()) == (False, 1)


@pytest.mark.parametrize("work", ["stays", "out"])
def test_new_work_asks_anew_and_shows_nothing_before(turk: StubbedTurk, work: str) -> None:
    """The page that was open goes on; the next HIT leases nothing until the text is agreed to again."""
    life = Life(turk)
    life.take_back(work)
    make_association(study=life.hit.batch.study, cue="glacier")
    fresh = make_hit(
        batch=make_batch(study=life.hit.batch.study, account=life.hit.batch.account, status="open")
    )

    went_on = visit(life.client, life.hit)
    asked = open_new(life, fresh)

    assert "token" in went_on.context
    assert "consent_token" in asked.context
    assert "glacier" not in text_of(asked)
    assert not Lease.objects.filter(assignment__hit=fresh).exists()


def open_new(life: Life, hit: HIT) -> Any:
    """Open another HIT as the same worker, under another assignment."""
    HIT.objects.filter(pk=life.hit.pk).update(external_id="HIT0")
    HIT.objects.filter(pk=hit.pk).update(external_id="HIT1")
    Assignment.objects.filter(hit=life.hit).update(external_id="A0")
    hit.refresh_from_db()
    return life.client.get(address(hit))
