"""The provider's side and ours, compared row by row: what stands on one side alone was lost or made up."""

import json
from collections.abc import Hashable, Mapping
from decimal import Decimal
from typing import Any

from crowd.rehearsal.domain.sides import ALIKE, COUNTS, KINDS
from crowd.rehearsal.playing.memory_provider import MemoryProvider
from hits.ledger.models.bonuses import Bonus
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT

Side = Mapping[Hashable, Any]
PAID = (Bonus.Status.SENT, Bonus.Status.CONFIRMED)


def compare_sides(provider: MemoryProvider) -> dict[str, Any]:
    """Compare HITs, answers, decisions and payments by their identifiers."""
    found = {
        "hits": _compare(_their_hits(provider), _our_hits()),
        "answers": _compare(_their_answers(provider), _our_answers()),
        "decisions": _compare(_their_decisions(provider), _our_decisions()),
        "payments": _compare(_their_payments(provider), _our_payments()),
    }
    return {
        **found,
        "paid": [str(_sum(_their_payments(provider))), str(_sum(_our_payments()))],
        "unsent": HIT.objects.filter(external_id="", batch__launched_at__isnull=False).count(),
    }


def _compare(theirs: Side, ours: Side) -> dict[str, int]:
    """Count what both sides have alike, what only one of them has, and what they say differently."""
    both = theirs.keys() & ours.keys()
    return {
        "alike": sum(theirs[key] == ours[key] for key in both),
        "different": sum(theirs[key] != ours[key] for key in both),
        "only_theirs": len(theirs.keys() - both),
        "only_ours": len(ours.keys() - both),
    }


def _their_hits(provider: MemoryProvider) -> Side:
    return {key: hit.places for key, hit in provider.hits.items()}


def _our_hits() -> Side:
    return dict(HIT.objects.exclude(external_id="").values_list("external_id", "max_assignments"))


def _their_answers(provider: MemoryProvider) -> Side:
    return {
        work.external_id: (work.worker_external_id, json.loads(work.answers["answer"]))
        for work in provider.works()
    }


def _our_answers() -> Side:
    rows = Assignment.objects.filter(submitted_at__isnull=False).select_related("worker")
    return {work.external_id: (work.worker.external_id, work.answer) for work in rows}


def _their_decisions(provider: MemoryProvider) -> Side:
    return {work.external_id: work.status.lower() for work in provider.works() if work.status != "Submitted"}


def _our_decisions() -> Side:
    decided = (Assignment.Status.APPROVED, Assignment.Status.REJECTED)
    return dict(Assignment.objects.filter(status__in=decided).values_list("external_id", "status"))


def _their_payments(provider: MemoryProvider) -> Side:
    return {
        token: (bonus.worker_external_id, bonus.assignment_external_id, bonus.amount)
        for token, (_, bonus) in provider.bonuses.items()
    }


def _our_payments() -> Side:
    rows = Bonus.objects.filter(status__in=PAID).select_related("assignment__worker")
    return {
        bonus.token: (bonus.assignment.worker.external_id, bonus.assignment.external_id, bonus.amount)
        for bonus in rows
    }


def _sum(payments: Side) -> Decimal:
    return sum((amount for *_, amount in payments.values()), start=Decimal(0))


def are_alike(sides: Mapping[str, Any]) -> bool:
    """Whether nothing stands on one side alone, and nothing is said differently."""
    if sides["unsent"]:
        return False
    return all(not sides[kind][name] for kind in KINDS for name in COUNTS if name != ALIKE)
