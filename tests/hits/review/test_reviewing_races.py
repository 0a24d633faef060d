"""Reviewers, senders and clicks at one instant: each work gets one decision and one call to the provider."""

from collections import Counter
from collections.abc import Callable

import pytest

from crowd.winogavil.models import Association
from crowd.winogavil.services.final_associations import finalize_associations
from hits.identity.models.users import User
from hits.review.services import reviewing
from hits.sync.services import push_decisions
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from hits.work.models.items import Item
from hits.work.services import leasing
from scoring.services.score_recording import judge_submitted, scores_of
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_study, make_user
from tests.hits.review.test_review_pages import make_works
from tests.races import all_at_once
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db(transaction=True)
DUE = NOW + reviewing.UNDO_FOR
AT_ONCE = 4


def test_two_reviewers_decide_once() -> None:
    work = make_assignment(status="submitted")
    reviewers = [make_user() for _ in range(AT_ONCE)]

    def approve(by: User) -> Callable[[], object]:
        return lambda: reviewing.decide(assignment=work, kind="approve", by=by, now=NOW).status

    outcomes = all_at_once(*(approve(by) for by in reviewers))

    assert Counter(outcomes) == {"intended": 1, "decided_already": AT_ONCE - 1}
    assert Decision.objects.count() == 1


def test_last_rejection_of_the_day_goes_out_once() -> None:
    batch = make_batch(study=make_study(rejections_a_day=1), status="open")
    works = [make_assignment(hit=make_hit(batch=batch), status="submitted") for _ in range(AT_ONCE)]
    by = make_user()

    def reject(work: Assignment) -> Callable[[], object]:
        return lambda: (
            reviewing.decide(assignment=work, kind="reject", reason="Random", by=by, now=NOW).status
        )

    outcomes = all_at_once(*(reject(work) for work in works))

    assert Counter(outcomes) == {"intended": 1, "waiting": AT_ONCE - 1}


def test_sweeps_on_many_machines_send_a_decision_once(turk: StubbedTurk) -> None:
    hit = make_hit()
    turk.hits[hit.external_id] = {"HITId": hit.external_id, "RequesterAnnotation": "", "expired": False}
    external_id, _ = turk.submit(hit.external_id, answer="x")
    work = make_assignment(hit=hit, external_id=external_id, status="submitted")
    reviewing.decide(assignment=work, kind="reject", reason="Random", by=make_user(), now=NOW)

    outcomes = all_at_once(*[lambda: push_decisions.send_decisions(now=DUE)] * AT_ONCE)

    assert Counter(outcomes) == {1: 1, 0: AT_ONCE - 1}
    assert turk.calls == ["reject_assignment"]


def test_undo_and_sending_at_one_instant_do_one_of_both(turk: StubbedTurk) -> None:
    hit = make_hit()
    turk.hits[hit.external_id] = {"HITId": hit.external_id, "RequesterAnnotation": "", "expired": False}
    external_id, _ = turk.submit(hit.external_id, answer="x")
    work = make_assignment(hit=hit, external_id=external_id, status="submitted")
    by = make_user()
    decision = reviewing.decide(assignment=work, kind="reject", reason="Random", by=by, now=NOW)

    all_at_once(
        lambda: push_decisions.send_decisions(now=DUE),
        lambda: reviewing.undo(decision=decision, by=by, now=DUE),
    )

    found = (Decision.objects.get().status, turk.assignments[external_id]["AssignmentStatus"])
    assert found in {("done", "Rejected"), ("undone", "Submitted")}


def test_finalizing_while_answers_are_taken_out_never_counts_them() -> None:
    works = make_works(count=3)
    judge_submitted(now=NOW)
    Item.objects.update(wanted=0)

    all_at_once(
        lambda: finalize_associations(now=NOW),
        lambda: leasing.keep_out(works[0], now=NOW),
        lambda: finalize_associations(now=NOW),
    )
    finalize_associations(now=NOW)

    association = Association.objects.select_related("item").get()
    assert (association.final_at, association.item.wanted) == (None, 1)
    assert len(scores_of(association.item, measure="jaccard")) == 2
