"""Queries, stored before any rival is asked: a repeated question gets what is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from django.db import IntegrityError, transaction

from hits.common.kept_queries import KeptQuery, given_id
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from scoring.models import PendingQuery, RegisteredRival, RivalQuery
from scoring.services.rival_selection import rivals_of

log = structlog.get_logger()
ASKED = KeptQuery(lambda: RivalQuery.objects.filter(assignment=given_id("assignment"), slot=given_id("slot")))


@dataclass(frozen=True, kw_only=True)
class ShownPicture:
    """A picture as it was shown, in the form in which rivals are told of it."""

    sha256: str
    caption: str


@dataclass(frozen=True, kw_only=True)
class NewRivalQuery:
    text: str
    pictures: Sequence[ShownPicture]
    chosen: Sequence[int]
    slot: int = 1
    item: Item | None = None


def find_rival_query(*, assignment: Assignment, slot: int) -> RivalQuery | None:
    return ASKED.first(assignment=assignment.pk, slot=slot)


def ask(*, new: NewRivalQuery, assignment: Assignment, now: datetime) -> tuple[RivalQuery, bool]:
    """The query of this attempt and slot, and whether this call stored it. Idempotent."""
    try:
        with transaction.atomic():
            rival_query = put_rival_queries(
                [new], study=assignment.hit.batch.study, assignment=assignment, urgent=True, now=now
            )[0]
    except IntegrityError:
        # The query was sent before, or twice at the same moment, and the other call was first.
        return RivalQuery.objects.get(assignment=assignment, slot=new.slot), False
    log.info("rival_query.asked", rival_query=str(rival_query.public_id))
    return rival_query, True


def put_rival_queries(
    news: Sequence[NewRivalQuery],
    *,
    study: Study,
    urgent: bool,
    now: datetime,
    assignment: Assignment | None = None,
) -> list[RivalQuery]:
    """Store queries and queue them for the study's rivals, in their order.

    An urgent one is answered at once if the rival's vectors are kept. The caller holds the transaction.
    """
    paid, others = rivals_of(study)
    rival_queries = RivalQuery.objects.bulk_create(
        RivalQuery(
            study=study,
            assignment=assignment,
            slot=new.slot,
            item=new.item,
            text=new.text,
            pictures=[{"sha256": one.sha256, "caption": one.caption} for one in new.pictures],
            size=len(new.pictures),
            chosen=sorted(new.chosen),
            paid_on=paid,
            asked_at=now,
        )
        for new in news
    )
    answered = _answer_at_once(rival_queries, paid, now=now) if urgent else set()
    PendingQuery.objects.bulk_create(
        _asking(rival_query, rival, urgent=urgent and rival == paid, now=now)
        for rival in (paid, *others)
        for rival_query in rival_queries
        if rival != paid or rival_query not in answered
    )
    return rival_queries


def _answer_at_once(
    rival_queries: Sequence[RivalQuery], rival: RegisteredRival, *, now: datetime
) -> set[RivalQuery]:
    """Loads numpy when it is first called: a web process starts without it."""
    from scoring.services.kept_verdicts import answer_by_kept_vectors  # noqa: PLC0415

    return answer_by_kept_vectors(rival_queries, rival, now=now)


def _asking(rival_query: RivalQuery, rival: RegisteredRival, *, urgent: bool, now: datetime) -> PendingQuery:
    """A queue row, urgent for the rival that is paid on, since a worker waits for it."""
    return PendingQuery(rival_query=rival_query, rival=rival, is_urgent=urgent, asked_at=now, try_at=now)


def answer_state(rival_query: RivalQuery, *, now: datetime, deadline_s: float) -> Mapping[str, Any]:
    """State for the page that waits: answered, waiting, or late. Late is never a score."""
    asked = {"chosen": rival_query.chosen, "text": rival_query.text}
    verdict = rival_query.verdict
    if verdict is not None:
        return {"state": "answered", **asked, "predicted": verdict.places, "fool": verdict.fool_score}
    waited = (now - rival_query.asked_at).total_seconds()
    return {"state": "late" if waited >= deadline_s else "waiting", **asked}
