"""Rehearsals as people handle them: asked for, cancelled, begun anew, removed."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from crowd.rehearsal.domain.assumptions import BOUNDS, Assumptions
from crowd.rehearsal.interface import expected_item_s
from crowd.rehearsal.models import Rehearsal
from crowd.rehearsal.rehearsed_tasks import why_not_rehearsed
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from hits.studies.models import Batch

MOST_SEED = 10**6
Status = Rehearsal.Status
# Nobody plays it.
AT_REST: Mapping[str, Any] = {
    "token": None,
    "held_until": None,
    "runs_done": 0,
    "items_done": 0,
    "items_all": 0,
}


def usual_assumptions(batch: Batch) -> Assumptions:
    """What is assumed of a draft at first: its items take as long as it expects."""
    least, most = BOUNDS["item_s"]
    return Assumptions(item_s=min(most, max(least, round(expected_item_s(batch)))))


def why_not(batch: Batch) -> str:
    """Say why a batch cannot be rehearsed; empty if it can."""
    if problem := why_not_rehearsed(batch.task):
        return problem
    if batch.status != Batch.Status.DRAFT:
        return "Only a draft is rehearsed: this batch has been launched or cancelled. Copy it to rehearse it."
    return ""


def ask_rehearsal(
    *, batch: Batch, assumed: Assumptions, by: User | None, now: datetime, seed: int | None = None
) -> Rehearsal:
    """Queue a rehearsal. Raises RuleBroken for a batch that cannot be rehearsed."""
    if problem := why_not(batch):
        raise RuleBroken("not_rehearsed", problem)
    return Rehearsal.objects.create(
        batch=batch,
        assumed=assumed.as_data(),
        seed=secrets.randbelow(MOST_SEED) if seed is None else seed,
        asked_at=now,
        asked_by=by,
    )


def cancel_rehearsal(*, rehearsal: Rehearsal, now: datetime) -> None:
    """Cancel it; whoever plays it notices. Raises RuleBroken if it is over."""
    if not move(rehearsal, Status.CANCELLED, ended_at=now, **AT_REST):
        raise RuleBroken("not_open", f"{rehearsal} is over.")


def begin_anew(*, rehearsal: Rehearsal) -> None:
    """Queue it again with the same numbers. Raises RuleBroken if nothing has cut it off."""
    if problem := why_not(rehearsal.batch):
        raise RuleBroken("not_rehearsed", problem)
    if not move(rehearsal, Status.WAITING, problem="", ended_at=None, **AT_REST):
        raise RuleBroken("not_over", f"{rehearsal} was not cut off.")


def remove_rehearsal(*, rehearsal: Rehearsal) -> None:
    """Remove it with its report. Whoever plays it notices."""
    rehearsal.delete()
