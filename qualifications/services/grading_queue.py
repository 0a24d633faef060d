"""The grading queue: each test is claimed by one person for some minutes."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q, QuerySet

from hits.identity.models.users import User
from qualifications.models import Attempt, Gate

LEASE = timedelta(minutes=15)
AT_ONCE = 20
# A judged test is graded within seconds; one that still waits lacks scores, or its gate's rules are broken.
PATIENCE = timedelta(minutes=10)
Status = Attempt.Status


def waiting_for_a_person(gates: QuerySet[Gate], *, now: datetime) -> QuerySet[Attempt]:
    """Attempts that a person has to grade, first submitted first.

    Included are those that scores should have graded, but that lack some.
    """
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
    """Claim the attempt that this person holds already, or else the next free one.

    `after` has just been skipped by this person: it comes when nothing else is left.
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
    """Compare and swap: two people never get the same attempt. False: a colleague has claimed it."""
    rows = Attempt.objects.filter(_is_free(by, now=now), pk=attempt.pk)
    if not rows.update(claimed_by=by, claimed_until=now + LEASE):
        return False
    attempt.claimed_by, attempt.claimed_until = by, now + LEASE
    return True


def leave_attempt(*, attempt: Attempt, by: User) -> None:
    """Release the claim without a decision, so that a colleague may take the attempt."""
    Attempt.objects.filter(pk=attempt.pk, claimed_by=by).update(claimed_by=None, claimed_until=None)


def _free(waiting: QuerySet[Attempt], *, now: datetime) -> QuerySet[Attempt]:
    return waiting.filter(Q(claimed_by=None) | Q(claimed_until=None) | Q(claimed_until__lte=now))


def _is_free(by: User, *, now: datetime) -> Q:
    return Q(claimed_by=None) | Q(claimed_by=by) | Q(claimed_until=None) | Q(claimed_until__lte=now)


@dataclass(frozen=True, kw_only=True)
class WaitingTests:
    """How many tests of a gate wait, and how many of them colleagues have claimed."""

    gate_id: int
    name: str
    waiting: int
    elsewhere: int


def counts_by_gate(waiting: QuerySet[Attempt], *, by: User, now: datetime) -> list[WaitingTests]:
    """How many attempts wait at each gate, in one query."""
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
