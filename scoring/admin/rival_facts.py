"""The model that a batch's workers play against, in words, for the page before its launch."""

from collections.abc import Iterator

from django.urls import reverse

from hits import families
from hits.admin.batches.launch_facts import LaunchFact, announce
from hits.studies.models import Batch
from scoring.models import RegisteredRival
from scoring.queries.rivals_that_play import rivals_that_play

VIEW = "scoring.view_studyrival"


def tell_rival(batch: Batch) -> Iterator[LaunchFact]:
    """Yield which model plays and which are only recorded, where workers ask one."""
    if isinstance(families.registered().get(batch.task), families.AsksRival):
        yield LaunchFact(
            name="Model",
            sentences=list(_sentences(batch)),
            address=reverse("admin:scoring_rivals", args=[batch.study_id]),
            permission=VIEW,
        )


def _sentences(batch: Batch) -> Iterator[str]:
    name, paid, others = rivals_that_play(batch.study)
    yield f"Workers play against “{name}”: bonuses are paid on its verdict."
    yield _weights(paid) if paid else "It has answered nothing here yet, and its weights were not read."
    if others:
        names = ", ".join(f"“{one}”" for one in others)
        yield f"Recorded beside it, and paid on by nobody: {names}."


def _weights(rival: RegisteredRival) -> str:
    known = f"weights {rival.weights_sha256[:12]}" if rival.weights_sha256 else "weights not read yet"
    said = [rival.get_kind_display(), rival.model, known]
    return f"{', '.join(part for part in said if part)}."


announce(tell_rival)
