"""Rehearsals are played one at a time, each in a process of its own that a sweep looks after.

The sweep begins a process, tells how far it is, and stores its report. The process ends with the one that
began it; a rehearsal that nobody holds any longer is told as interrupted.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import structlog

from crowd.rehearsal.domain.assumptions import read_assumptions
from crowd.rehearsal.models import Rehearsal
from crowd.rehearsal.playing.child_process import ApartPlay
from crowd.rehearsal.playing.specs import write_spec
from crowd.rehearsal.services.rehearsal_jobs import AT_REST, why_not
from hits.core.errors import CrowdError
from hits.core.states import move

# How often the sweep looks at a process, and how long one that nobody looks at is still believed in.
LOOKS_EACH = timedelta(seconds=2)
HOLD = timedelta(minutes=1)
CUT_OFF = "The process that played it ended before it was complete. Nothing of it was kept: begin it anew."
LONGEST_PROBLEM = 500
Status = Rehearsal.Status
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class _Live:
    """A rehearsal that a process of this one plays."""

    token: UUID
    play: ApartPlay


_live: dict[int, _Live] = {}


def play_rehearsals(*, now: datetime) -> None:
    """Look after what is being played, tell what was cut off, and begin the next one."""
    for key in list(_live):
        _look_after(key, now=now)
    _tell_cut_off(now=now)
    if not _live and not Rehearsal.objects.filter(status=Status.PLAYING).exists():
        _begin_next(now=now)


def next_turn(*, now: datetime) -> datetime | None:
    """When the sweep has something to look at: soon where this process plays, else when a hold is over."""
    if _live:
        return now + LOOKS_EACH
    held = Rehearsal.objects.filter(status=Status.PLAYING).values_list("held_until", flat=True)
    return min((max(until, now) for until in held if until), default=None)


def _begin_next(*, now: datetime) -> None:
    waiting = Rehearsal.objects.filter(status=Status.WAITING).select_related("batch__study")
    rehearsal = waiting.order_by("pk").first()
    if rehearsal is None:
        return
    token = uuid4()
    if not move(rehearsal, Status.PLAYING, token=token, held_until=now + HOLD):
        return
    if problem := why_not(rehearsal.batch):
        _fail(rehearsal, problem, now=now)
        return
    assumed = read_assumptions(rehearsal.assumed)
    try:
        spec = write_spec(rehearsal.batch, assumed=assumed, seed=rehearsal.seed, now=rehearsal.asked_at)
    except CrowdError as refusal:
        _fail(rehearsal, str(refusal), now=now)
        return
    _live[rehearsal.pk] = _Live(token=token, play=ApartPlay(spec))
    log.info("rehearsal.begun", rehearsal=str(rehearsal.public_id))


def _look_after(key: int, *, now: datetime) -> None:
    live = _live[key]
    rehearsal = Rehearsal.objects.filter(pk=key, token=live.token, status=Status.PLAYING).first()
    if rehearsal is None:  # cancelled, removed, or given up as cut off
        _drop(key)
        return
    if not live.play.is_over:
        Rehearsal.objects.filter(pk=key, token=live.token).update(held_until=now + HOLD, **_far(live.play))
        return
    try:
        report = live.play.report()
    except CrowdError as problem:
        _fail(rehearsal, str(problem), now=now)
    else:
        done = {**AT_REST, "runs_done": rehearsal.runs, "ended_at": now, "report": report}
        move(rehearsal, Status.DONE, **done)
        log.info("rehearsal.done", rehearsal=str(rehearsal.public_id), seconds=report["seconds"])
    _drop(key)


def _far(play: ApartPlay) -> dict[str, Any]:
    progress = play.progress()
    if progress is None:
        return {}
    return {"runs_done": progress.run - 1, "items_done": progress.done, "items_all": progress.goal}


def _tell_cut_off(*, now: datetime) -> None:
    for rehearsal in Rehearsal.objects.filter(status=Status.PLAYING, held_until__lte=now):
        if rehearsal.pk not in _live:
            move(rehearsal, Status.INTERRUPTED, **{**AT_REST, "problem": CUT_OFF, "ended_at": now})
            log.warning("rehearsal.cut_off", rehearsal=str(rehearsal.public_id))


def _fail(rehearsal: Rehearsal, problem: str, *, now: datetime) -> None:
    told = {**AT_REST, "problem": problem[:LONGEST_PROBLEM], "ended_at": now}
    move(rehearsal, Status.FAILED, **told)
    log.warning("rehearsal.failed", rehearsal=str(rehearsal.public_id), problem=problem[:200])


def _drop(key: int) -> None:
    _live.pop(key).play.end()
