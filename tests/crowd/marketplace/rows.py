"""Rows that many tests of the marketplace need, made by its own services."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from crowd.marketplace.database import atomic
from crowd.marketplace.models import HIT, Assignment, LedgerEntry
from crowd.marketplace.models.parties import Requester, Worker
from crowd.marketplace.operations.hits import describe_hit
from crowd.marketplace.questions.question_kinds import read_question
from crowd.marketplace.services import hit_creation, work
from tests.factories import NOW, external_question, invite, make_requester

MONTH_S = 2_592_000


@dataclass(frozen=True, kw_only=True)
class Facts:
    """A HIT's progress as GetHIT reports it."""

    status: str
    available: int
    pending: int
    completed: int


def post_hit(
    *,
    requester: Requester | None = None,
    reward: str = "0.05",
    max_assignments: int = 1,
    lifetime: timedelta = timedelta(days=1),
    duration_s: int = 600,
    delay_s: int = MONTH_S,
    title: str = "Which pictures?",
    url: str = "https://example.org/q",
    question: str = "",
    requirements: Sequence[Mapping[str, Any]] = (),
    now: datetime = NOW,
) -> HIT:
    terms = hit_creation.Terms(
        title=title,
        description="Pick them.",
        keywords="",
        reward=Decimal(reward),
        assignment_duration_s=duration_s,
        auto_approval_delay_s=delay_s,
        requirements=list(requirements),
    )
    with atomic():
        hit_type = hit_creation.find_or_make_type(
            requester=requester or make_requester(now=now).requester, terms=terms
        )
        return hit_creation.create_hit(
            hit_type=hit_type,
            question=read_question(question or external_question(url)),
            max_assignments=max_assignments,
            lifetime=lifetime,
            now=now,
        )


def accept(hit: HIT, *, worker: Worker | None = None, now: datetime = NOW) -> Assignment:
    return work.accept_hit(hit_id=hit.pk, worker=worker or invite(now=now)[0], now=now)


def hand_in(hit: HIT, *, worker: Worker | None = None, now: datetime = NOW) -> Assignment:
    """Accept the HIT and submit an assignment at once."""
    assignment = accept(hit, worker=worker, now=now)
    work.submit_assignment(assignment=assignment, answer="<answer/>", now=now)
    assignment.refresh_from_db()
    return assignment


def facts(hit: HIT, *, now: datetime = NOW) -> Facts:
    described: dict[str, Any] = dict(describe_hit(HIT.objects.get(pk=hit.pk), now=now))
    return Facts(
        status=described["HITStatus"],
        available=described["NumberOfAssignmentsAvailable"],
        pending=described["NumberOfAssignmentsPending"],
        completed=described["NumberOfAssignmentsCompleted"],
    )


def status_of(assignment: Assignment) -> str:
    return Assignment.objects.get(pk=assignment.pk).status


def balances(requester: Requester) -> dict[str, Decimal]:
    """The ledger's sum of every account that moved, added here because SQLite would add floats."""
    sums: dict[str, Decimal] = {}
    for account, amount in LedgerEntry.objects.filter(requester=requester).values_list("account", "amount"):
        sums[account] = sums.get(account, Decimal(0)) + amount
    return sums


def available(requester: Requester) -> Decimal:
    return Requester.objects.get(pk=requester.pk).available
