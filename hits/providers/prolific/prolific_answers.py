"""What Prolific answers, read as what every provider has."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from hits.providers.capabilities import PROLIFIC
from hits.providers.gateway.interface import (
    OfferedFilter,
    ProviderAssignment,
    ProviderBonus,
    ProviderHIT,
    ProviderVisit,
)
from hits.providers.prolific.study_bodies import annotation_in

Row = Mapping[str, Any]
# Submissions that were handed in, by what became of them. Others are at work, or gave their place back.
HANDED_IN = {
    "AWAITING REVIEW": "Submitted",
    "APPROVED": "Approved",
    "PARTIALLY APPROVED": "Approved",
    "REJECTED": "Rejected",
}
AT_WORK = ("RESERVED", "ACTIVE")
# Seen by others' programs, though the documents do not name it: handed in, and not yet sorted.
UNDER_WAY = "PROCESSING"
OVER = ("AWAITING REVIEW", "COMPLETED")
CLOSED = (*OVER, "PAUSED")
# Not open yet: a draft, or one on its way to be published.
NOT_YET = ("UNPUBLISHED", "SCHEDULED", "PUBLISHING")


def read_study(row: Row, counts: Row) -> ProviderHIT:
    """A study as a HIT whose places are its own.

    Prolific calls a study that is full for a moment finished, though somebody still works on it: it is over
    once nobody is at work any more. A paused one is over too, until it is started again.
    """
    places = int(row["total_available_places"])
    pending = sum(int(counts.get(status, 0)) for status in AT_WORK)
    handed_in = sum(int(counts.get(status, 0)) for status in (*HANDED_IN, UNDER_WAY))
    done = sum(int(counts.get(status, 0)) for status, told in HANDED_IN.items() if told != "Submitted")
    status = str(row["status"])
    is_closed = status in CLOSED
    return ProviderHIT(
        external_id=str(row["id"]),
        annotation=annotation_in(str(row.get("internal_name") or "")),
        status="Assignable" if not is_closed else "Unassignable" if pending else "Reviewable",
        max_assignments=places,
        available=0 if is_closed or status in NOT_YET else max(0, places - pending - handed_in),
        pending=pending,
        completed=done,
        question=str(row.get("external_study_url") or ""),
    )


def read_submission(row: Row, *, study_id: str) -> ProviderAssignment | None:
    """A submission that was handed in; None for one at work, given back or out of time."""
    status = HANDED_IN.get(str(row["status"]))
    if status is None:
        return None
    began, ended = moment(row["started_at"]), moment(row["completed_at"] or row["started_at"])
    days = PROLIFIC.approves_after_days or 0
    return ProviderAssignment(
        external_id=str(row["id"]),
        hit_external_id=study_id,
        worker_external_id=participant_of(row),
        status=status,
        accepted_at=began,
        submitted_at=ended,
        auto_approves_at=ended + timedelta(days=days),
    )


def read_visit(row: Row) -> ProviderVisit:
    return ProviderVisit(
        external_id=str(row["id"]),
        hit_external_id=str(row["study_id"]),
        worker_external_id=participant_of(row),
        accepted_at=moment(row["started_at"]),
        is_going_on=str(row["status"]) in AT_WORK,
    )


def read_bonuses(row: Row) -> list[ProviderBonus]:
    """What was paid for one submission beside its reward. Prolific says the amounts alone."""
    return [
        ProviderBonus(
            assignment_external_id=str(row["id"]),
            worker_external_id=participant_of(row),
            amount=Decimal(int(paid)) / 100,
            reason="",
        )
        for paid in row.get("bonus_payments") or []
    ]


def read_filter(row: Row) -> OfferedFilter:
    choices = row.get("choices")
    return OfferedFilter(
        id=str(row["filter_id"]),
        title=str(row.get("title") or row["filter_id"]),
        is_range=row.get("type") == "range",
        low=row.get("min"),
        high=row.get("max"),
        choices={str(value): str(words) for value, words in choices.items()} if choices else {},
    )


def participant_of(row: Row) -> str:
    """The participant: a submission alone calls it otherwise than a list does."""
    return str(row["participant_id"] if "participant_id" in row else row["participant"])


def moment(said: Any) -> datetime:
    read = datetime.fromisoformat(str(said))
    if read.tzinfo is None:
        raise ValueError(f"{said} has no time zone")
    return read
