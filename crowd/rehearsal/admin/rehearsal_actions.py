"""Actions on a rehearsal: cancelled, begun anew, removed."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse

from crowd.rehearsal.models import Rehearsal
from crowd.rehearsal.services import rehearsal_jobs
from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.batches.guide import get_visible
from hits.admin.selection import need
from hits.studies.models import Batch

LOOK, ADD, REMOVE = "rehearsal.view_rehearsal", "rehearsal.add_rehearsal", "rehearsal.delete_rehearsal"
# Whoever sees rehearsals of a batch sees the batch.
SEE_BATCH = "hits.view_batch"
NAME = "Rehearsals"
Status = Rehearsal.Status


def find_draft(request: HttpRequest, pk: int, *permissions: str) -> Batch:
    need(request, SEE_BATCH, LOOK, *permissions)
    return get_visible(request, pk)


def find_rehearsal(request: HttpRequest, pk: int, *permissions: str) -> Rehearsal:
    rows = Rehearsal.objects.select_related("batch__study", "asked_by")
    rehearsal = get_object_or_404(rows, pk=pk)
    find_draft(request, rehearsal.batch_id, *permissions)
    return rehearsal


def page_of_batch(batch: Batch) -> str:
    return reverse("admin:rehearsal_of_batch", args=[batch.pk])


def page_of_rehearsal(rehearsal: Rehearsal) -> str:
    return reverse("admin:rehearsal_report", args=[rehearsal.pk])


def around(batch: Batch, *further: tuple[str, str]) -> Mapping[str, Any]:
    where = "admin:hits_batch_live" if batch.is_launched else "admin:hits_batch_launch"
    trail = [
        ("Batches", reverse("admin:hits_batch_changelist")),
        (batch.title or "Draft", reverse(where, args=[batch.pk])),
        *further,
    ]
    return {"batch": batch, "trail": trail}


def below_list(batch: Batch, *further: tuple[str, str]) -> Mapping[str, Any]:
    return around(batch, (NAME, page_of_batch(batch)), *further)


def _find(request: HttpRequest, pk: int) -> Sequence[Rehearsal]:
    return [find_rehearsal(request, pk)]


def _begin_anew(call: Call[Rehearsal]) -> Outcome:
    rehearsal_jobs.begin_anew(rehearsal=call.row)
    return Outcome(said=f"{call.row} begins anew, with the draft as it is now.")


def _cancel(call: Call[Rehearsal]) -> Outcome:
    rehearsal_jobs.cancel_rehearsal(rehearsal=call.row, now=call.now)
    return Outcome(said=f"{call.row} is cancelled.")


def _confirm_removal(call: Call[Rehearsal]) -> Confirm:
    text = "You remove {} with its report. The same numbers, seed and draft give the same report again."
    return Confirm(text=emphasize(text, call.row))


def _remove(call: Call[Rehearsal]) -> Outcome:
    said, back = f"{call.row} is removed.", page_of_batch(call.row.batch)
    rehearsal_jobs.remove_rehearsal(rehearsal=call.row)
    return Outcome(said=said, to=back)


REHEARSALS = ActionPages(
    actions={
        "again": Action(
            label="Begin anew",
            permissions=[ADD],
            offered=lambda one: one.status in (Status.CANCELLED, Status.INTERRUPTED, Status.FAILED),
            is_first=True,
            one_click=True,
            run=_begin_anew,
        ),
        "cancel": Action(
            label="Cancel", permissions=[ADD], offered=lambda one: one.is_open, one_click=True, run=_cancel
        ),
        "remove": Action(
            label="Remove", permissions=[REMOVE], confirm=_confirm_removal, is_grave=True, run=_remove
        ),
    },
    find=_find,
    back=lambda found: page_of_rehearsal(found[0]),
    url=lambda one, key: reverse(f"admin:rehearsal_{key}", args=[one.pk]),
    shared=lambda found: below_list(found[0].batch, (str(found[0]), page_of_rehearsal(found[0]))),
)
