"""The table of who took part, and erasure at a worker's request. Nobody's own answers are ever shown."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.selection import signed_in
from hits.admin.stat_tables import send_table
from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from hits.work.access import studies_of, visible
from qualifications.admin.finding_gates import find_study
from qualifications.admin.people_tables import TITLE, people_table
from qualifications.models import ConsentText
from qualifications.queries.counted_people import latest_count
from qualifications.services.demographics import erase_on_request, let_in_again
from qualifications.services.people_counts import count_people

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


def people_view(texts: admin.ModelAdmin[ConsentText], request: HttpRequest, pk: int) -> HttpResponseBase:
    """Show the last count of who took part in a study."""
    study = find_study(request, pk, COUNTS)
    count = latest_count(study)
    context = {
        **texts.admin_site.each_context(request),
        "opts": texts.model._meta,
        "title": f"{TITLE}: {study}",
        "study": study,
        "count": count,
        "table": people_table(count.figures) if count else None,
        "form": EraseForm() if request.user.has_perm(ERASE) else None,
        "lift_form": LiftForm() if request.user.has_perm(LIFT) else None,
    }
    return TemplateResponse(request, "admin/qualifications/people/table.html", context)


def file_view(request: HttpRequest, pk: int, name: str, form: str) -> HttpResponseBase:
    study = find_study(request, pk, COUNTS)
    count = latest_count(study)
    file = send_table([people_table(count.figures)] if count else [], name, form=form, study=study)
    note_taken(study, by=signed_in(request), now=timezone.now())
    return file


def note_taken(study: Study, *, by: User, now: datetime) -> None:
    """Note that somebody took the table away."""
    note("file.people", f"Took the table of who took part in “{study}”.", by=by, now=now, study=study)


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


def _ask_to_count(call: Call[Study]) -> Confirm:
    return Confirm(
        title="Count who took part?",
        text="Best when the work of the study is done.",
        consequences=[
            "Everybody whose submitted work counts is counted as they stand now, and the table stays.",
            "You can count again once each role has at least five new people, or none.",
            "A figure that has changed by fewer than five people since an earlier count is withheld then.",
        ],
        button="Count who took part",
    )


def _count(call: Call[Study]) -> Outcome:
    count_people(study=call.row, by=call.by, now=call.now)
    return Outcome(said="Everybody who took part is counted.")


ON_REQUEST = ActionPages(
    actions={
        "count": Action(label="Count who took part", permissions=[COUNTS], confirm=_ask_to_count, run=_count),
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
