"""Workers that a batch may have, and how many hold what it requires."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from hits.core.domain import requirements
from hits.core.errors import ProviderRefused, ProviderUnavailable
from hits.identity.models.blocks import Block
from hits.identity.models.workers import Worker
from hits.providers.gateway.interface import Provider
from hits.providers.gateway.interface import QualifiedWorker as Holder
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.queries.shut_out import work_of_group, work_shut_out

log = structlog.get_logger()
# Qualifications that every worker holds with some value, so that counting their holders tells nothing.
UNCOUNTED = {*requirements.NAMES, *requirements.MASTERS.values()}
# Somebody who was only named, invited or refused has a row too, and has not worked.
HANDED_IN = (Assignment.Status.SUBMITTED, Assignment.Status.APPROVED, Assignment.Status.REJECTED)
# What a requirement does to people of one's own, who are new to the marketplace.
KEEPS_OUT = {
    requirements.LOCALE: "Workers of your own marketplace state their country themselves, once, under "
    "Settings: whoever has not is kept out.",
    requirements.PERCENT_APPROVED: "New people have no record: each counts as 100 per cent until there are "
    "100 submissions, whatever they hand in.",
}
NO_MASTER = "Nobody new is one: the operator of the marketplace names Masters."
HAS_WORKED = Exists(Assignment.objects.filter(worker=OuterRef("pk"), status__in=HANDED_IN))


def known_workers(batch: Batch) -> QuerySet[Worker]:
    """Workers of the batch's account who are neither blocked nor shut out, so that it can count on them."""
    shut_out = [rows.values("worker") for rows in (Block.objects.in_force(), work_shut_out(batch))]
    if batch.repeat_group:
        shut_out.append(work_of_group(batch).values("worker"))
    kept_from = Q()
    for workers in shut_out:
        kept_from |= Q(pk__in=workers)
    return Worker.objects.filter(~kept_from, account=batch.account_id)


@dataclass(frozen=True, kw_only=True)
class QualifiedCount:
    """Number of workers who hold a qualification at the provider; None if it is unknown."""

    qualification_type_id: str
    count: int | None
    is_barred: bool = False
    # What the requirement asks of a worker; empty if its type is not one of ours.
    meaning: str = ""

    @property
    def words(self) -> str:
        return self._words_of_ours if self.meaning else self._words_of_others

    @property
    def _words_of_ours(self) -> str:
        if self.count is None:
            return f"How many workers meet this could not be read from the provider: {self.meaning}."
        workers = "1 worker" if self.count == 1 else f"{self.count} workers"
        meet = ("meets" if self.count == 1 else "meet") if not self.is_barred else "would not meet"
        return f"{workers} {meet} this: {self.meaning}."

    @property
    def _words_of_others(self) -> str:
        name = f"qualification {self.qualification_type_id}"
        if self.count is None:
            return f"How many workers hold {name} could not be read from the provider."
        people = f"{self.count} worker holds" if self.count == 1 else f"{self.count} workers hold"
        return f"{people} {name}{', and may not take part' if self.is_barred else ''}."


@dataclass(frozen=True, kw_only=True)
class RecruitingNeed:
    """Number of workers that the plan needs, and the numbers that there are."""

    needed: int
    assignments: int
    known: int
    shut_out: int
    qualified: tuple[QualifiedCount, ...] = ()

    @property
    def is_short(self) -> bool:
        """Whether fewer workers hold a qualification than one task needs, so that it cannot be filled."""
        return bool(self.short)

    @property
    def short(self) -> list[QualifiedCount]:
        """What fewer workers meet than one task needs."""
        counted = [row for row in self.qualified if row.count is not None and not row.is_barred]
        return [row for row in counted if (row.count or 0) < self.needed]

    @property
    def words(self) -> list[str]:
        places = "1 assignment" if self.assignments == 1 else f"{self.assignments} assignments"
        people = "1 worker" if self.needed == 1 else f"{self.needed} different workers"
        known = f"{self.known} workers have" if self.known > 1 else f"{self.known or 'No'} worker has"
        kept = f"; {self.shut_out} more may not take part" if self.shut_out else ""
        said = [
            f"The plan needs {people} for each task, and {places} in all.",
            f"{known} worked on this account before{kept}. Others can find the HITs too.",
            *(row.words for row in self.qualified),
        ]
        short = "Fewer workers hold a qualification than one task needs: grant it to more, or ask for fewer."
        return [*said, short] if self.is_short else said


def recruiting_facts(
    batch: Batch,
    provider: Provider | None,
    *,
    required: Sequence[Mapping[str, Any]],
    meanings: Mapping[str, str] = requirements.NO_MEANINGS,
) -> RecruitingNeed:
    """Return the facts on workers the batch may have. What only the provider knows may be unknown."""
    is_free = Q(pk__in=known_workers(batch).values("pk"))
    people = Worker.objects.filter(account=batch.account_id).aggregate(
        shut_out=Count("pk", filter=~is_free), known=Count("pk", filter=is_free & Q(HAS_WORKED))
    )
    return RecruitingNeed(
        needed=batch.assignments_per_hit,
        assignments=batch.assignments_per_hit * batch.hits_wanted,
        known=people["known"],
        shut_out=people["shut_out"],
        qualified=qualified_counts(required, provider, meanings=meanings),
    )


def asks_of_strangers(batch: Batch) -> list[str]:
    """Return what asks new people of our own marketplace for what they lack, and what it does to them."""
    if batch.account.environment != Account.Environment.MARKETPLACE:
        return []
    asked = [row for row in batch.requirements if requirements.is_of_strangers(row)]
    bounds = [row for row in asked if row["QualificationTypeId"] == requirements.NUMBER_APPROVED]
    others = [row for row in asked if row not in bounds]
    return [
        *(f"No worker known on this account meets this yet: {one}." for one in _unmet_records(batch, bounds)),
        *(
            f"{words}. {KEEPS_OUT.get(row['QualificationTypeId'], NO_MASTER)}"
            for row, words in zip(others, requirements.in_words(others), strict=True)
        ),
    ]


def _unmet_records(batch: Batch, asked: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what asks for more approved work than any worker of the account has, in words."""
    bounds = [row for row in asked if str(row.get("Comparator")).startswith("GreaterThan")]
    if not bounds:
        return []
    approved = Assignment.objects.filter(
        worker__account=batch.account_id, status=Assignment.Status.APPROVED
    ).order_by()
    counts = approved.values("worker").annotate(count=Count("pk"))
    most = counts.aggregate(most=Max("count"))["most"] or 0
    return requirements.in_words([row for row in bounds if not requirements.is_met(row, most)])


def qualified_counts(
    required: Sequence[Mapping[str, Any]], provider: Provider | None, *, meanings: Mapping[str, str]
) -> tuple[QualifiedCount, ...]:
    """Count holders of each required qualification of one's own. After one silence, no more are asked."""
    counted = []
    for row in required:
        kind = str(row.get("QualificationTypeId", ""))
        if kind in UNCOUNTED:
            continue
        count = None
        try:
            count = _count(provider.list_qualified(kind), row) if provider else None
        except ProviderUnavailable:
            provider = None
        except ProviderRefused as refusal:
            log.info("qualification.not_counted", code=refusal.code)
        barred = row.get("Comparator") == "DoesNotExist"
        meaning = meanings.get(kind, "")
        found = QualifiedCount(qualification_type_id=kind, count=count, is_barred=barred, meaning=meaning)
        counted.append(found)
    return tuple(counted)


def _count(holders: Iterable[Holder], row: Mapping[str, Any]) -> int:
    """Count the holders who meet the requirement. One that bars holders bars them with any value."""
    if row.get("Comparator") == "DoesNotExist":
        return sum(1 for _ in holders)
    return sum(requirements.is_met(row, holder.value) for holder in holders)
