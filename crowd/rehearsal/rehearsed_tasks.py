"""The tasks that can be rehearsed. Asking which ones they are loads nothing that plays."""

from django.utils.module_loading import import_string

from crowd.family import registered
from crowd.rehearsal.interface import FamilyRehearsal
from hits.core.errors import CrowdError


def why_not_rehearsed(task: str) -> str:
    """Say why a task cannot be rehearsed; empty if it can."""
    if any(task in family.rehearsals for family in registered()):
        return ""
    reasons = (family.unrehearsed[task] for family in registered() if task in family.unrehearsed)
    return next(reasons, "Nobody has said yet how simulated people do this task.")


def rehearsal_of(task: str) -> type[FamilyRehearsal]:
    """Return how this task is rehearsed. Raises CrowdError if its family does not say."""
    for family in registered():
        if task in family.rehearsals:
            return import_string(family.rehearsals[task])  # type: ignore[no-any-return]
    raise CrowdError(f"Nobody has said how {task} is rehearsed.")
