"""The table of who took part, and erasure at a worker's request. Nobody's own answers are ever shown."""

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.data.take_files import send_csv
from hits.admin.selection import signed_in
from hits.admin.stat_tables import send_table
from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from hits.work.access import SEES_ALL, studies_of, visible
from qualifications.domain import about_people
from qualifications.models import ConsentText
from qualifications.personal_questions import CHOICES, QUESTIONS
from qualifications.queries.demographics import Counts, counts_of
from qualifications.services.demographics import erase_on_request, let_in_again

COUNTS = "qualifications.count_demographics"
ERASE = "qualifications.erase_demographics"
LIFT = "qualifications.lift_underage"


class EraseForm(forms.Form):
    pseudonym = forms.CharField(
        label="Pseudonym of the worker",
        max_length=64,
        help_text="Such as w-abc234defg. Be sure that the worker asks for it.",
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, label_suffix="")


class LiftForm(EraseForm):
    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        self.auto_id = "id_lift_%s"

    reason = forms.CharField(
        label="Reason", max_length=500, help_text="How you know that they are 18 or older. Kept on record."
    )


def counts_view(
    texts: admin.ModelAdmin[ConsentText], request: HttpRequest, pk: int | None = None
) -> HttpResponseBase:
    """Show the last count of who took part in a study."""
    if not request.user.has_perm(COUNTS) or (pk is None and not request.user.has_perm(SEES_ALL)):
        raise PermissionDenied
    study = None if pk is None else get_object_or_404(studies_of(request.user), pk=pk)
    counts = counts_of(study)
    if request.method == "POST":
        return _send(counts, study, request)
    context = {
        **texts.admin_site.each_context(request),
        "opts": texts.model._meta,
        "title": f"Counts of people: {study or 'all studies'}",
        "study": study,
        "asked": counts.asked,
        "questions": [
            (QUESTIONS[one.key], [(_answer(one.key, group.key), group.about) for group in one.groups])
            for one in counts.questions
        ],
        "fewest": about_people.FEWEST,
        "sees_all": request.user.has_perm(SEES_ALL),
        "form": EraseForm() if study and request.user.has_perm(ERASE) else None,
        "lift_form": LiftForm() if study and request.user.has_perm(LIFT) else None,
    }
    return TemplateResponse(request, "admin/qualifications/people/counts.html", context)


def _find_study(request: HttpRequest, pk: int) -> Sequence[Study]:
    return [get_object_or_404(studies_of(request.user), pk=pk)]


def _named(call: Call[Study]) -> Worker:
    pseudonym = call.values["pseudonym"].strip()
    worker = visible(Worker.objects.filter(pseudonym=pseudonym), call.by).first()
    if worker is None:
        raise RuleBroken("no_worker", f"There is no worker {pseudonym}.")
    return worker


def _erase(call: Call[Study]) -> Outcome:
    worker = _named(call)
    erase_on_request(worker=worker, study=call.row, by=call.by, now=call.now)
    return Outcome(said=f"Whatever {worker.pseudonym} has said about themselves is erased.")


def _lift(call: Call[Study]) -> Outcome:
    """Lift the age block; the reply never reveals whether the worker had said that they are under 18."""
    worker, reason = _named(call), call.values["reason"]
    let_in_again(worker=worker, study=call.row, reason=reason, by=call.by, now=call.now)
    return Outcome(said=f"Whatever {worker.pseudonym} has said of their age, they may work from now on.")


ON_REQUEST = ActionPages(
    actions={
        "erase": Action(
            label="Erase what they said about themselves",
            permissions=[ERASE],
            form=lambda data, _: EraseForm(data),
            run=_erase,
            is_grave=True,
            undone="Nothing was erased.",
        ),
        "lift": Action(
            label="Let the worker in",
            permissions=[LIFT],
            form=lambda data, _: LiftForm(data),
            run=_lift,
            undone="Nothing was changed.",
        ),
    },
    find=_find_study,
    back=lambda studies: reverse("admin:qualifications_people", args=[studies[0].pk]),
    base="admin/qualifications/consent/base.html",
    shared=lambda studies: {"opts": ConsentText._meta, "study": studies[0]},
)


def _send(counts: Counts, study: Study | None, request: HttpRequest) -> HttpResponseBase:
    words = f"Took counts of people of {f'“{study}”' if study else 'all studies'}."
    note("file.people", words, by=signed_in(request), now=timezone.now(), study=study)
    name = f"people-{study.pk if study else 'all'}.csv"
    return send_csv(HEADER, _lines(counts), name=name)


def _lines(counts: Counts) -> Iterator[tuple[str, str, str]]:
    yield "asked", "", _about(counts.asked)
    for question in counts.questions:
        for group in question.groups:
            yield question.key, str(_answer(question.key, group.key)), _about(group.about)


def _about(count: int | None) -> str:
    return TOO_FEW if count is None else f"about {count}"


def _answer(question: str, group: str) -> Any:
    return CHOICES[question][group] if question in CHOICES else group.replace("-", "–")
