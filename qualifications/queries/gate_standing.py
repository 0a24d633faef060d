"""A worker's state at a study's gates, in words for the worker."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from hits import families
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from qualifications import gate_words
from qualifications.models import Attempt, Gate, Holding
from qualifications.queries.conditions import conditions_of
from qualifications.queries.gates import active_gates, holdings_of, tests_to_take
from qualifications.queries.test_scores import count_scored

__all__ = ["Stand", "conditions_of", "retry_at", "standing_of", "stands_at", "telling_attempts"]
NOT_TESTED = "not_tested"
MAY_RETRY = "may_retry"
STARTED = "test_started"
WAITING = "test_waiting"
FAILED = "test_failed"
USED = "test_used"
REVOKED = "revoked"
PASSED = "passed"
ENDED = (FAILED, USED, REVOKED)
Status = Attempt.Status
LIVE = (Status.STARTED, Status.WAITING)
GRADED = (Status.PASSED, Status.FAILED)


@dataclass(frozen=True, kw_only=True)
class Stand:
    """A worker's state at one gate: what has been done, and what is next."""

    gate: Gate
    code: str
    done: str
    next: str
    findings: Sequence[str] = ()
    may_retry_at: datetime | None = None

    @property
    def is_passed(self) -> bool:
        return self.code == PASSED


def standing_of(*, worker: Worker, study: Study) -> list[Stand]:
    """State at every active gate, in the order in which they were made. Five queries at most."""
    gates = [] if worker.account.can.are_players else active_gates(study.pk)
    return stands_at(gates, worker=worker, held=holdings_of(worker, gates)) if gates else []


def stands_at(gates: Sequence[Gate], *, worker: Worker, held: Mapping[int, Holding]) -> list[Stand]:
    attempts = telling_attempts(gates, worker=worker)
    places = tests_to_take(gates, account=worker.account)
    stands = [
        _stand(
            gate,
            held.get(gate.pk),
            attempts.get(gate.pk),
            where=gate_words.where_to_test(gate, places.get(gate.pk)),
        )
        for gate in gates
    ]
    return [_after_others(stand, stands) for stand in _with_progress(stands, attempts)]


def telling_attempts(gates: Iterable[Gate], *, worker: Worker) -> dict[int, Attempt]:
    """The attempt that decides the state at each gate, by gate.

    It is the live one, else the latest that was graded, else the latest.
    """
    rows = Attempt.objects.filter(worker=worker, gate__in=[gate.pk for gate in gates])
    return {row.gate_id: row for row in sorted(rows, key=_weight)}


def retry_at(gate: Gate, held: Holding | None, attempt: Attempt | None) -> datetime | None:
    """When the worker may try again (a day has 24 hours); None if no retest opens by itself."""
    if held is None or held.value != Holding.Value.TRIED or held.by_id or gate.retest_after_days is None:
        return None
    if held.revoked_at and gate.grading == Gate.Grading.PROVIDER:
        return None
    failed = attempt is not None and attempt.status == Status.FAILED
    graded_at = attempt.graded_at if attempt and failed else None
    return max(held.changed_at, graded_at or held.changed_at) + timedelta(days=gate.retest_after_days)


def _weight(attempt: Attempt) -> tuple[int, int]:
    rank = 2 if attempt.status in LIVE else 1 if attempt.status in GRADED else 0
    return rank, attempt.pk


def _stand(gate: Gate, held: Holding | None, attempt: Attempt | None, *, where: str) -> Stand:
    status = attempt.status if attempt else ""
    code = _code(held, status)
    is_told = attempt is not None and (code, status) in ((PASSED, Status.PASSED), (FAILED, Status.FAILED))
    at = retry_at(gate, held, attempt) if code in ENDED else None
    parts = [_done(code) % {"test": gate.name}]
    if code == REVOKED and held:
        parts.append(held.reason)
    if attempt and is_told:
        parts.append(attempt.words)
    return Stand(
        gate=gate,
        code=code,
        done=" ".join(filter(None, parts)),
        next=_after_end(gate, held, at) if code in ENDED else _next(code, gate, where=where),
        findings=gate_words.findings_in_words(attempt.findings) if attempt and is_told else (),
        may_retry_at=at,
    )


def _code(held: Holding | None, status: str) -> str:
    """The first code that is true. What the worker holds counts more than how it came about."""
    is_tried = held is not None and held.value == Holding.Value.TRIED
    facts = {
        PASSED: held is not None and held.is_held,
        REVOKED: is_tried and held is not None and held.revoked_at is not None,
        WAITING: status == Status.WAITING,
        STARTED: status == Status.STARTED,
        FAILED: is_tried and status == Status.FAILED,
        USED: is_tried,
        MAY_RETRY: status == Status.FAILED,
    }
    return next((code for code, is_so in facts.items() if is_so), NOT_TESTED)


def _done(code: str) -> str:
    return {
        NOT_TESTED: _("You have not taken “%(test)s” yet."),
        MAY_RETRY: _("You did not pass “%(test)s” last time, and may try again now."),
        STARTED: _("You have begun “%(test)s”."),
        WAITING: _("You have submitted “%(test)s”. Thank you."),
        FAILED: _("Thank you for taking “%(test)s”. You did not pass it this time."),
        USED: _("Your “%(test)s” is over: you have seen its questions, and it could not be counted."),
        REVOKED: _("You had passed “%(test)s”, but it does not count any more."),
        PASSED: _("You have passed “%(test)s”."),
    }[code]


def _next(code: str, gate: Gate, *, where: str) -> str:
    if code == PASSED:
        return _("The work that it opens is open to you.")
    if code == STARTED:
        return _("Finish it and submit it: you find it in your queue of accepted work.")
    if code != WAITING:
        return where
    if gate.grading == Gate.Grading.PERSON:
        return _("A person grades it. There is nothing for you to do until then.")
    if gate.test_task in families.judged_later():
        return _(
            "It is graded once other people have answered what you made, which takes as long as they need. "
            "There is nothing for you to do until then."
        )
    return _("It is graded as soon as all of it is scored. There is nothing for you to do until then.")


def _after_end(gate: Gate, held: Holding | None, at: datetime | None) -> str:
    if at:
        when = gate_words.day(at, zone=gate.study.time_zone)
        return _("You may try again from %(day)s on.") % {"day": when}
    if held and held.by_id:
        return _("If you think that this is wrong, write to us. Other work stays open to you.")
    return _("Each person has one attempt. Other work stays open to you.")


def _with_progress(stands: Sequence[Stand], attempts: Mapping[int, Attempt]) -> list[Stand]:
    """Add to tests that wait for other people's answers how many are scored, and nothing of the answers."""
    waiting = {
        stand.gate.pk: attempts[stand.gate.pk].assignment_id or 0
        for stand in stands
        if stand.code == WAITING and stand.gate.grading == Gate.Grading.SCORES
    }
    counts = count_scored(waiting.values()) if waiting else {}
    return [
        replace(stand, findings=[_progress(counts.get(waiting[stand.gate.pk], 0), stand.gate.items)])
        if stand.gate.pk in waiting
        else stand
        for stand in stands
    ]


def _progress(scored: int, items: int) -> str:
    said = _("%(scored)d of %(items)d parts are scored so far.")
    return said % {"scored": min(scored, items), "items": items}


def _after_others(stand: Stand, stands: Collection[Stand]) -> Stand:
    """Name the tests that open this one, where a test is itself behind another gate."""
    task = stand.gate.test_task
    same_study = [one for one in stands if one.gate.study_id == stand.gate.study_id]
    before = [one.gate.name for one in same_study if task and task in one.gate.opens and not one.is_passed]
    if stand.code not in (NOT_TESTED, MAY_RETRY) or not before:
        return stand
    names = ", ".join(f"“{name}”" for name in before)
    return replace(stand, next=_("It opens as soon as you have passed %(tests)s.") % {"tests": names})
