"""Parts of the two pages that make questions of an association list: what is chosen, and what is missing."""

import secrets
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from hits import families
from hits.admin.actions import Call
from hits.admin.page_parts import read_number
from hits.studies.models import Batch
from hits.work.access import visible
from qualifications.models import SwowList

LARGEST_SEED = 999_999
BATCHES = "admin:hits_batch_changelist"
NO_DRAFT = (
    '<strong>There is no draft yet.</strong> <a href="{}">Make a batch</a> of the task “{}” first; its items '
    "come from here, or from a file."
)
NO_LIST = "There is no association list yet. Import one with the command import_swow."


class ListQuestionsForm(forms.Form):
    """Form with the draft that gets the questions, and the list and the seed that they are drawn by."""

    batch = forms.ModelChoiceField(Batch.objects.none(), label="Batch")
    swow = forms.ModelChoiceField(SwowList.objects.none(), label="Association list")
    seed = forms.IntegerField(
        min_value=0,
        max_value=LARGEST_SEED,
        help_text="The same seed makes the same questions from the same list and pictures.",
    )

    def __init__(self, *args: Any, drafts: QuerySet[Batch], **kwargs: Any) -> None:
        first = {"seed": secrets.randbelow(LARGEST_SEED), "batch": drafts.first()}
        super().__init__(*args, **{"initial": first, **kwargs})
        fields: dict[str, Any] = self.fields
        fields["batch"].queryset = drafts
        fields["swow"].queryset = _lists()
        fields["batch"].label_from_instance = lambda batch: f"{batch} (number {batch.pk})"


def drafts_of(task: str, call: Call[Any]) -> QuerySet[Batch]:
    """Drafts of a task that the user may see, of the study that the address names if it names one."""
    rows = visible(Batch.objects.filter(status=Batch.Status.DRAFT, task=task), call.by)
    if study := read_number(call.query.get("study", "")):
        rows = rows.filter(study=study)
    return rows.select_related("study").order_by("-pk")


def note_lacking(task: str, call: Call[Any]) -> SafeString:
    """Notes on what is missing before any question can be made."""
    query = {"task": task, **({"study": call.query["study"]} if call.query.get("study") else {})}
    address = f"{reverse('admin:hits_batch_add')}?{urlencode(query)}"
    lacking = [
        *(
            ()
            if drafts_of(task, call).exists()
            else [format_html(NO_DRAFT, address, families.get(task).name)]
        ),
        *(() if _lists().exists() else [NO_LIST]),
    ]
    return format_html_join(" ", "{}", [(words,) for words in lacking])


def _lists() -> QuerySet[SwowList]:
    return SwowList.objects.filter(status=SwowList.Status.READY).order_by("name")
