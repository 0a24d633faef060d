"""Actions on a study's attention items: take over what people answered alike, state one answer, remove."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import reverse

from hits import families
from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.core.errors import RuleBroken
from hits.families import TaskType
from hits.studies.models import Study
from hits.work.access import studies_of
from hits.work.models.known_answers import KnownAnswer
from hits.work.services.attention_items import KnownChoice, forget_answers, know_answers

VIEW, CHANGE = "hits.view_assignment", "hits.change_batch"
PAGE, DO, STATE = "scoring_attention", "scoring_attention_do", "scoring_attention_state"
MOST_AT_ONCE = 500
UNKNOWN = ("", "Not known")


@dataclass(frozen=True, kw_only=True)
class AttentionTask:
    """A task of a study that a page is about, and one of its items where it is about that."""

    study: Study
    task: TaskType
    item: UUID | None = None

    def __str__(self) -> str:
        return f"{self.study}, {self.task.name}"

    @property
    def page(self) -> str:
        return reverse(f"admin:{PAGE}", args=[self.study.pk, self.task.key])


class TakeForm(forms.Form):
    least = forms.IntegerField(
        label="Answered alike by at least",
        min_value=2,
        max_value=100,
        initial=3,
        help_text="People who have all said the same, and nobody else: the more, the surer.",
    )
    most = forms.IntegerField(
        label="Items at most",
        min_value=1,
        max_value=MOST_AT_ONCE,
        initial=30,
        help_text="A worker meets each of them once. They are taken in turn by what was answered.",
    )


class StateForm(forms.Form):
    """A field for each question about the item, in the words in which the task states its answers."""

    def __init__(self, data: QueryDict | None, call: Call[AttentionTask]) -> None:
        super().__init__(data)
        # numpy is slow to load, and most processes never show this page.
        from scoring.queries.attention_candidates import choices_about  # noqa: PLC0415

        row = call.row
        about = choices_about(row.study, row.task, row.item) if row.item else None
        if about is None:
            raise Http404
        self.item_id = about.item.pk
        self.things = list(about.offered)
        for number, (thing, labels) in enumerate(about.offered.items(), start=1):
            self.fields[f"choice_{number}"] = forms.ChoiceField(
                label=" ".join(filter(None, thing)) or "Answer",
                choices=[UNKNOWN, *((label, label) for label in labels)],
                initial=about.known.get(thing, ""),
                required=False,
            )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        chosen = [
            KnownChoice(question=question, about=about, label=cleaned.get(f"choice_{number}", ""))
            for number, (question, about) in enumerate(self.things, start=1)
        ]
        known = [one for one in chosen if one.label]
        if not known and not self.errors:
            self.add_error(None, "Choose at least one answer that is known.")
        return {"item": self.item_id, "known": known}


def find_task(request: HttpRequest, study_id: int, task: str, item: UUID | None = None) -> AttentionTask:
    """Find the task of the study. Raises 404 for a task that cannot mix attention items into its pages."""
    if not request.user.has_perm(VIEW):
        raise PermissionDenied
    study = get_object_or_404(studies_of(request.user), pk=study_id)
    if not families.mixes_attention(task):
        raise Http404
    return AttentionTask(study=study, task=families.get(task), item=item)


def _find(request: HttpRequest, **where: Any) -> Sequence[AttentionTask]:
    return [find_task(request, **where)]


def _shared(rows: Sequence[AttentionTask]) -> Mapping[str, Any]:
    row = rows[0]
    study = (row.study, reverse("admin:hits_study_change", args=[row.study.pk]))
    return {"opts": Study._meta, "trail": [study, ("Attention items", row.page)]}


def _look_at_taking(call: Call[AttentionTask]) -> Confirm:
    text = (
        "Items whose answers are all in, and all alike, become attention items. Their own answers count as "
        "they do now; what is answered from now on counts nowhere."
    )
    if not call.values:
        return Confirm(text=text)
    found = len(_candidates(call))
    if not found:
        problem = "Nobody has answered any finished item so: ask fewer people to agree."
        return Confirm(text=text, problem=problem, is_blocked=True)
    return Confirm(text=text, consequences=[f"Items that become attention items: {found}."])


def take_over(call: Call[AttentionTask]) -> Outcome:
    row, found = call.row, _candidates(call)
    if not found:
        raise RuleBroken("nothing_alike", "Nobody has answered any finished item so.")
    answers = {
        key: [KnownChoice(question=one.question, about=one.about, label=one.label) for one in choices]
        for key, choices in found.items()
    }
    count = know_answers(answers, study=row.study, task=row.task.key, by=call.by, now=call.now)
    return Outcome(said=f"Attention items: {count} more.")


def _candidates(call: Call[AttentionTask]) -> Mapping[int, Sequence[Any]]:
    from scoring.queries.attention_candidates import candidates  # noqa: PLC0415

    row, values = call.row, call.values
    return candidates(row.study, row.task, least=values["least"], most=values["most"])


def _state(call: Call[AttentionTask]) -> Outcome:
    row, item = call.row, call.values["item"]
    answers = {item: call.values["known"]}
    know_answers(answers, study=row.study, task=row.task.key, by=call.by, now=call.now)
    return Outcome(said="The answer is known, and the item is an attention item.")


def _forget(call: Call[AttentionTask]) -> Outcome:
    row = call.row
    named = KnownAnswer.objects.filter(
        item__study=row.study, item__task=row.task.key, item__public_id__in=_ticked(call)
    )
    items = list(named.values_list("item", flat=True))
    count = forget_answers(items, study=row.study, by=call.by, now=call.now)
    return Outcome(said=f"Attention items: {count} fewer. Answers to them are evidence no more.")


def _ticked(call: Call[AttentionTask]) -> list[UUID]:
    found = []
    for text in call.sent.getlist("item"):
        try:
            found.append(UUID(text))
        except ValueError:
            continue
    return found


TAKING: Mapping[str, Action[AttentionTask]] = {
    "take": Action(
        label="Take over what people answered alike",
        permissions=[CHANGE],
        form=lambda data, _: TakeForm(data),
        confirm=_look_at_taking,
        run=take_over,
        looks_first="Count the items",
    ),
    "forget": Action(
        label="Remove those chosen",
        permissions=[CHANGE],
        refuses=lambda call: "" if _ticked(call) else "Choose the items first.",
        run=_forget,
        one_click=True,
    ),
}
STATING: Mapping[str, Action[AttentionTask]] = {
    "state": Action(
        label="State the known answer",
        permissions=[CHANGE],
        form=StateForm,
        confirm=lambda _: Confirm(
            text="Choose what is known of the item. An answer to it is right if it says all of that."
        ),
        run=_state,
    ),
}
TASKS = ActionPages(
    actions=TAKING,
    find=_find,
    back=lambda rows: rows[0].page,
    url=lambda row, key: reverse(f"admin:{DO}", args=[row.study.pk, row.task.key, key]),
    shared=_shared,
)
ITEMS = ActionPages(
    actions=STATING,
    find=_find,
    back=lambda rows: rows[0].page,
    url=lambda row, _: reverse(f"admin:{STATE}", args=[row.study.pk, row.task.key, row.item]),
    shared=_shared,
)
