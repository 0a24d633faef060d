"""The entry policy of gates, asked when a worker enters and when a batch is launched."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from django.utils.translation import gettext as _

from hits import families
from hits.core.errors import RuleBroken
from hits.families.entry_policies import EntryPolicy, PlatformRequirements
from hits.identity.models.workers import Worker
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.leases import Lease
from hits.work.queries.items import items_of_batch
from hits.work.services.leasing import UNSETTLED, items_open_to
from qualifications.models import Gate, Holding
from qualifications.queries.gate_standing import (
    FAILED,
    MAY_RETRY,
    NOT_TESTED,
    PASSED,
    REVOKED,
    STARTED,
    USED,
    WAITING,
    stands_at,
)
from qualifications.queries.gates import (
    active_gates,
    gates_opening,
    gates_tested_by,
    holdings_of,
    is_gated,
)
from qualifications.services import platform

PASSED_ALREADY = "passed_already"
# The section about tests, on the same page, has the names and the scores.
STAFF_WORDS = {
    NOT_TESTED: "they have not taken the test that opens it",
    MAY_RETRY: "they have not passed the test that opens it, and may take it again",
    STARTED: "they have begun the test and not submitted it",
    WAITING: "their test waits for its grade",
    FAILED: "they have not passed the test",
    USED: "they have used their attempt at the test up",
    REVOKED: "their pass was taken back",
    PASSED_ALREADY: "they have passed this test already",
}
# The most tests of one gate that are read for a worker; no worker has more.
MOST = 50
Work = Assignment.Status


class GatePolicy(EntryPolicy):
    staff_words = STAFF_WORDS

    def ask(self, batch: Batch) -> PlatformRequirements:
        if not is_gated(batch):
            return PlatformRequirements()
        gates = active_gates(batch.study_id)
        tested = gates_tested_by(gates, batch.task)
        asked = platform.ask(batch, [*gates_opening(gates, batch.task), *tested])
        too_small = [words for gate in tested if (words := _too_small(batch, gate))]
        return replace(asked, obstacles=[*asked.obstacles, *too_small])

    def refuse_entry(self, *, hit: HIT, worker: Worker, now: datetime) -> None:
        """Raise RuleBroken if a gate keeps the worker out.

        One query where no gate guards the work, two where one does, three for a test. A sweep makes
        attempts later, so the reason to refuse a test is read from the assignments themselves.
        """
        batch = hit.batch
        if not is_gated(batch):
            return
        gates = active_gates(batch.study_id)
        opening, tested = gates_opening(gates, batch.task), gates_tested_by(gates, batch.task)
        if not opening and not tested:
            return
        held = holdings_of(worker, [*opening, *tested])
        for gate in opening:
            if not _holds(held.get(gate.pk)):
                _refuse(gate, gates, worker=worker)
        for gate in tested:
            _refuse_test(gate, held.get(gate.pk), gates, hit=hit, worker=worker)


def _holds(held: Holding | None) -> bool:
    return held is not None and held.is_held


def _refuse(gate: Gate, gates: Sequence[Gate], *, worker: Worker) -> None:
    """Raise RuleBroken, saying what the worker has done, how it turned out, and what comes next."""
    stands = stands_at(gates, worker=worker, held=holdings_of(worker, gates))
    stand = next(one for one in stands if one.gate == gate)
    said = [stand.done, *stand.findings, stand.next, _("Please return this work; nothing else changes.")]
    code = PASSED_ALREADY if stand.code == PASSED else stand.code
    raise RuleBroken(code, " ".join(said))


def _refuse_test(
    gate: Gate, held: Holding | None, gates: Sequence[Gate], *, hit: HIT, worker: Worker
) -> None:
    if held and held.value is not None:
        _refuse(gate, gates, worker=worker)
    tests = list(_tests_of(worker, gate))
    reason = _reason_against(tests, hit=hit, since=held.changed_at if held else None)
    if not reason and _lacks_items(gate, tests, hit=hit, worker=worker):
        reason = "no_items"
    if reason:
        code, words = _words(gate)[reason]
        raise RuleBroken(code, words)


def _tests_of(worker: Worker, gate: Gate) -> Collection[Assignment]:
    tests = Assignment.objects.filter(
        worker=worker, hit__batch__study=gate.study_id, hit__batch__task=gate.test_task
    )
    return tests.select_related("hit__batch").order_by("-pk")[:MOST]


def _reason_against(tests: Sequence[Assignment], *, hit: HIT, since: datetime | None) -> str:
    """Why this worker may not take the test now, as a key of `_words`; empty if the worker may.

    A worker who accepts a HIT again has returned it before, so what was open in the same HIT is over. Where
    no time of acceptance is proven, any worker could claim that; there the open test runs until its time is
    over.
    """
    for test in tests:
        if test.status in UNSETTLED and test.hit_id != hit.pk:
            return "begun" if test.status == Work.OPENED else "saved"
        if test.status in UNSETTLED and test.accepted_at is None:
            return "begun_here"
        if since and (test.submitted_at or test.opened_at) < since:
            continue
        if test.status == Work.REJECTED:
            return "rejected"
        if test.status in (Work.SUBMITTED, Work.APPROVED):
            return "handed_in"
        if families.uses_up(test):
            return "used_up"
    return ""


def _lacks_items(gate: Gate, tests: Sequence[Assignment], *, hit: HIT, worker: Worker) -> bool:
    """Whether too few new items are left for another try: a test with too few could never be graded."""
    batch = hit.batch
    handed_in = [test for test in tests if test.submitted_at]
    if gate.grading != Gate.Grading.SCORES or not handed_in:
        return False
    own = [test.pk for test in tests if test.status in UNSETTLED and test.hit_id == hit.pk]
    wanted = -(-gate.items // families.get(batch.task).scored_per_item)
    left = items_open_to(batch=batch, worker_id=worker.pk)[:wanted].count()
    leased = Lease.objects.filter(assignment__in=own).exclude(status=Lease.Status.RELEASED)
    return left + (leased.count() if own else 0) < wanted


def _words(gate: Gate) -> dict[str, tuple[str, str]]:
    name = {"test": gate.name}
    return {
        "begun": (
            WAITING,
            _(
                "You have begun “%(test)s” elsewhere. Finish it there, or return it there first. "
                "Please return this work; nothing else changes."
            )
            % name,
        ),
        "saved": (
            WAITING,
            _(
                "We have your answers to “%(test)s” from other work, and wait for the platform to confirm "
                "them. Please return this work; nothing else changes."
            )
            % name,
        ),
        "begun_here": (
            WAITING,
            _(
                "You have begun “%(test)s” in this work. Finish it on the page that you opened. If you have "
                "returned it, you can begin again once its time is over."
            )
            % name,
        ),
        "handed_in": (
            WAITING,
            _(
                "You have submitted “%(test)s”, and it is being graded. Thank you. "
                "Please return this work; nothing else changes."
            )
            % name,
        ),
        "rejected": (
            FAILED,
            _("Your “%(test)s” was not accepted. Please return this work; nothing else changes.") % name,
        ),
        "used_up": (
            USED,
            _(
                "You have seen too much of “%(test)s” to begin it again, and each person has one attempt. "
                "Please return this work; other work stays open to you."
            )
            % name,
        ),
        "no_items": (
            USED,
            _(
                "There are not enough questions of “%(test)s” left that are new to you. "
                "Please return this work, and look again later."
            )
            % name,
        ),
    }


def _too_small(batch: Batch, gate: Gate) -> str:
    """Why a test of this batch could never be graded, so that it is not launched; empty if it could."""
    if gate.grading != Gate.Grading.SCORES or batch.task not in families.registered():
        return ""
    each = families.get(batch.task).scored_per_item
    asked = batch.items_per_assignment * each
    there = items_of_batch(batch).filter(wanted__gt=0, pulled_at=None)[: gate.items].count() * each
    wants = f"“{gate.name}” is graded over {gate.items} scores, and"
    if asked < gate.items:
        more = "Raise the items for each assignment, or lower what the gate asks for."
        return f"{wants} each worker of this batch would get {asked}. {more}"
    return f"{wants} this batch has items for {there}. Add items to it." if there < gate.items else ""
