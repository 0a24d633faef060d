"""Whether a worker speaks English, by the worker's own word."""

import json

from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.leases import Lease
from qualifications.models import Demographics, SpokenEnglish


def speaks_english(worker: Worker) -> bool | None:
    """Return what the worker has said; None if they have not. Native speakers are not asked once more."""
    said = SpokenEnglish.objects.filter(worker=worker).first()
    if said is not None:
        return bool(said.answer == SpokenEnglish.YES)
    told = Demographics.objects.filter(worker=worker).first()
    is_native = told and told.answers and json.loads(told.answers).get("native_english") == "yes"
    return True if is_native else None


def needs_english(assignment: Assignment) -> bool:
    """Whether the work asks for English speakers and has not begun: work that has begun goes on."""
    asks = assignment.hit.batch.english_speakers
    return asks and not Lease.objects.filter(assignment=assignment.pk).exists()
