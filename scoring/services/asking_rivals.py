"""A riddle is stored before any rival is asked: whoever asks again is answered with what is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from django.db import IntegrityError, transaction

from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from scoring.models import Asking, RegisteredRival, Riddle
from scoring.services.rival_selection import rivals_of

log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A picture as it was shown: what rivals are told of it."""

    sha256: str
    caption: str


@dataclass(frozen=True, kw_only=True)
class NewRiddle:
    text: str
    pictures: Sequence[Shown]
    chosen: Sequence[int]
    slot: int = 1
    item: Item | None = None


def find_riddle(*, assignment: Assignment, slot: int) -> Riddle | None:
    return Riddle.objects.filter(assignment=assignment, slot=slot).first()


def ask(*, new: NewRiddle, assignment: Assignment, now: datetime) -> tuple[Riddle, bool]:
    """The riddle of this attempt and slot, and whether this call stored it. A second try changes nothing."""
    try:
        with transaction.atomic():
            riddle = put_riddles(
                [new], study=assignment.hit.batch.study, assignment=assignment, urgent=True, now=now
            )[0]
    except IntegrityError:
        # Sent before, or twice at the same moment: the other one was first.
        return Riddle.objects.get(assignment=assignment, slot=new.slot), False
    log.info("riddle.asked", riddle=str(riddle.public_id))
    return riddle, True


def put_riddles(
    news: Sequence[NewRiddle],
    *,
    study: Study,
    urgent: bool,
    now: datetime,
    assignment: Assignment | None = None,
) -> list[Riddle]:
    """In their order. The caller holds the transaction."""
    paid, others = rivals_of(study)
    riddles = Riddle.objects.bulk_create(
        Riddle(
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
    Asking.objects.bulk_create(
        _asking(riddle, rival, urgent=urgent and rival == paid, now=now)
        for rival in (paid, *others)
        for riddle in riddles
    )
    return riddles


def _asking(riddle: Riddle, rival: RegisteredRival, *, urgent: bool, now: datetime) -> Asking:
    """Somebody waits for the one that is paid on; the others may take their time."""
    return Asking(riddle=riddle, rival=rival, is_urgent=urgent, asked_at=now, try_at=now)


def answer_state(riddle: Riddle, *, now: datetime, deadline_s: float) -> Mapping[str, Any]:
    """For the page that waits: answered, waiting, or late. Late is never a score."""
    asked = {"chosen": riddle.chosen, "text": riddle.text}
    verdict = riddle.verdict
    if verdict is not None:
        return {"state": "answered", **asked, "predicted": verdict.places, "fool": verdict.fool_score}
    waited = (now - riddle.asked_at).total_seconds()
    return {"state": "late" if waited >= deadline_s else "waiting", **asked}
