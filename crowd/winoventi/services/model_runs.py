"""Model runs of projects to models: opened by a click or by itself, closed when every answer was taken."""

from collections.abc import Iterator
from datetime import datetime

import structlog

from crowd.winoventi.models import Project
from crowd.winoventi.models.model_runs import ModelRun
from scoring.models import RegisteredRival
from scoring.services.consulting import Standing
from scoring.services.pending_work import pause_after

log = structlog.get_logger()


def open_model_run(*, project: Project, rival: RegisteredRival, purpose: str, now: datetime) -> ModelRun:
    """The project's model run, opened again if it was closed: there may be new rows."""
    model_run, _ = ModelRun.objects.update_or_create(
        project=project,
        rival=rival,
        purpose=purpose,
        defaults={
            "is_open": True,
            "started_at": now,
            "done_at": None,
            "problem": "",
            "looks": 0,
            "look_at": None,
        },
    )
    return model_run


def open_model_runs(purpose: str) -> Iterator[ModelRun]:
    rows = ModelRun.objects.filter(is_open=True, purpose=purpose).order_by("pk")
    return rows.select_related("rival", "project").iterator()


def note_standing(model_run: ModelRun, standing: Standing, *, now: datetime, upto: int = 0) -> bool:
    """Write the standing if it changed, and close the model run once nothing waits; True if this call did."""
    is_done = not standing.waiting
    noted = {"is_open": not is_done, "upto": upto, **standing.noted}
    rows = ModelRun.objects.filter(pk=model_run.pk, is_open=True).exclude(**noted)
    look_at = now + pause_after(0) if is_done and standing.failed else None
    changed = rows.update(**noted, done_at=now if is_done else None, look_at=look_at)
    if changed and is_done:
        log.info("model_run.done", model_run=model_run.pk, purpose=model_run.purpose, failed=standing.failed)
    return bool(changed) and is_done


def put_off(model_run: ModelRun, *, now: datetime) -> None:
    """Put off the next look at a closed run, ever more rarely while nothing is new. Compare and swap."""
    looks = model_run.looks + 1
    look_at = now + pause_after(looks)
    ModelRun.objects.filter(pk=model_run.pk, is_open=False, looks=model_run.looks).update(
        looks=looks, look_at=look_at
    )
