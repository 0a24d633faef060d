"""Things that staff are told of, as the rooms below write them."""

from datetime import datetime, timedelta

from hits.batches.services.batch_rows import tell
from hits.identity.models.users import User
from hits.payments.models.runs import Run
from hits.payments.services import bonus_runs
from hits.review.models import Appeal
from hits.studies.models import Batch, Study
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_bonus,
    make_hit,
    make_study,
    make_user,
)

LONG_AGO = NOW - timedelta(days=9)


def end_batch(*, study: Study | None = None, title: str = "Which pictures?", at: datetime = NOW) -> Batch:
    """Make a batch that has just ended by itself."""
    batch = make_batch(study=study or make_study(), status=Batch.Status.COMPLETE, title=title)
    Batch.objects.filter(pk=batch.pk).update(figures={"places": 9, "submitted": 9})
    tell(batch, Batch.Status.COMPLETE, "Complete.", by=None, now=at)
    return batch


def pause_batch(
    *, study: Study, by: User | None, kind: str = Batch.Status.PAUSED, at: datetime = NOW
) -> Batch:
    batch = make_batch(study=study, status=kind)
    tell(batch, kind, "Paused.", by=by, now=at)
    return batch


def freeze_run(*, study: Study, by: User | None = None) -> Run:
    """Make a run of one bonus of the study, which waits for a second person."""
    preparer = by or make_user(is_superuser=True)
    batch = make_batch(study=study, status=Batch.Status.COMPLETE, account=make_account())
    work = make_assignment(hit=make_hit(batch=batch), status="approved")
    bonus = make_bonus(assignment=work, status="owed")
    run = bonus_runs.prepare_run(bonuses=[bonus], by=preparer, title="March", now=NOW)
    bonus_runs.freeze_run(run=run, by=preparer, now=NOW)
    return run


def make_appeal(*, study: Study, text: str = "Why was I not paid?") -> Appeal:
    work = make_assignment(hit=make_hit(batch=make_batch(study=study, status=Batch.Status.OPEN)))
    return Appeal.objects.create(worker=work.worker, assignment=work, text=text, made_at=NOW)


def open_batch(*, study: Study | None = None, wants: bool = True, places: int = 9, done: int = 4) -> Batch:
    """Make a batch that is open for long, with or without something left to ask."""
    study = study or make_study()
    if wants:
        make_association(study=study)
    batch = make_batch(study=study, status=Batch.Status.OPEN, launched_at=LONG_AGO)
    Batch.objects.filter(pk=batch.pk).update(figures={"places": places, "submitted": done})
    return batch
