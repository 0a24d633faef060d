"""All that a rehearsal's own process is told."""

from datetime import datetime
from typing import Any

from crowd.rehearsal.domain.assumptions import Assumptions
from crowd.rehearsal.playing.private_copy import write_copy
from crowd.rehearsal.rehearsed_tasks import rehearsal_of
from hits.studies.models import Batch


def write_spec(batch: Batch, *, assumed: Assumptions, seed: int, now: datetime) -> dict[str, Any]:
    """Write down the batch as it stands. Raises CrowdError if its task cannot be rehearsed."""
    family = rehearsal_of(batch.task)
    return {
        "batch": batch.pk,
        "copy": write_copy(batch, family=family),
        "recorded": family.record(batch.study),
        "begins_at": now.isoformat(),
        "assumed": assumed.as_data(),
        "seed": seed,
    }
