"""The grading queue: one test before one person, for some minutes."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q, QuerySet

from hits.identity.models.users import User
from qualifications.models import Attempt, Gate

LEASE = timedelta(minutes=15)
AT_ONCE = 20
# What is judged is graded within seconds; what still waits then lacks scores, or its gate's rules are broken.
PATIENCE = timedelta(minutes=10)
Status = Attempt.Status


def waiting_for_a_person(gates: QuerySet[Gate], *, now: datetime) -> QuerySet[Attempt]:
    """Who handed in first comes first. With those that scores should have graded, and that lack some."""
    by_person = Q(gate__grading=Gate.Grading.PERSON)
    ungraded = Q(
        gate__grading=Gate.Grading.SCORES,
        gate__is_active=True,
        assignment__judged_at__lte=now - PATIENCE,
        assignment__kept_out=False,
    )
    waiting = Attempt.objects.filter(by_person | ungraded, status=Status.WAITING, gate__in=gates)
    return waiting.order_by("handed_in_at", "pk")


def claim_attempt(*, gates: QuerySet[Gate], by: User, now: datetime, after: int = 0) -> Attempt | None:
    """What lies before this person already, or the next one that lies before nobody.

    `after` has just been put off by this person: it comes when nothing else is left.
    """
    waiting = waiting_for_a_person(gates, now=now)
    if own := waiting.filter(claimed_by=by, claimed_until__gt=now).exclude(pk=after).first():
        return own if take_attempt(attempt=own, by=by, now=now) else None
    while some := list(_free(waiting, now=now).exclude(pk=after)[:AT_ONCE]):
        for attempt in some:
            if take_attempt(attempt=attempt, by=by, now=now):
                return attempt
    last = _free(waiting, now=now).filter(pk=after).first()
    return last if last and take_attempt(attempt=last, by=by, now=now) else None


def take_attempt(*, attempt: Attempt, by: User, now: datetime) -> bool:
    """Compare and swap: two people never get the same one. False: it lies before somebody else."""
    rows = Attempt.objects.filter(_is_free(by, now=now), pk=attempt.pk)
    if not rows.update(claimed_by=by, claimed_until=now + LEASE):
        return False
    attempt.claimed_by, attempt.claimed_until = by, now + LEASE
    return True


def leave_attempt(*, attempt: Attempt, by: User) -> None:
    """Nothing was decided: a colleague may have it."""
    Attempt.objects.filter(pk=attempt.pk, claimed_by=by).update(claimed_by=None, claimed_until=None)


def _free(waiting: QuerySet[Attempt], *, now: datetime) -> QuerySet[Attempt]:
    return waiting.filter(Q(claimed_by=None) | Q(claimed_until=None) | Q(claimed_until__lte=now))


def _is_free(by: User, *, now: datetime) -> Q:
    return Q(claimed_by=None) | Q(claimed_by=by) | Q(claimed_until=None) | Q(claimed_until__lte=now)


@dataclass(frozen=True, kw_only=True)
class WaitingTests:
    """How many tests of a gate wait, and how many of them lie before a colleague."""

    gate_id: int
    name: str
    waiting: int
    elsewhere: int


def counts_by_gate(waiting: QuerySet[Attempt], *, by: User, now: datetime) -> list[WaitingTests]:
    """One query."""
    elsewhere = Count("pk", filter=Q(claimed_until__gt=now) & ~Q(claimed_by=by) & ~Q(claimed_by=None))
    rows = waiting.order_by().values("gate", "gate__name", "gate__study__name")
    found = rows.annotate(waiting=Count("pk"), elsewhere=elsewhere).order_by("gate__study__name", "gate")
    return [
        WaitingTests(
            gate_id=row["gate"],
            name=f"{row['gate__name']} ({row['gate__study__name']})",
            waiting=row["waiting"],
            elsewhere=row["elsewhere"],
        )
        for row in found
    ]
