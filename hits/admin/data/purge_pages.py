"""The page of a study's personal data: how long they are kept, what a purge would erase, and its proof."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from hits.admin.actions import Action, ActionPages, Call, Confirm, Outcome
from hits.admin.home import waiting
from hits.admin.home.waiting import Waiting
from hits.admin.selection import need
from hits.admin.studies.study_pages import StudyPage, Tab, announce
from hits.core.audit_trail import note
from hits.data.models import Purge
from hits.data.services import purging
from hits.data.services.purging import PURGE, erasable, obstacles, proof_of
from hits.identity.models.users import User
from hits.studies.models import Study
from hits.work.access import studies_of

VIEW = "hits.view_purge"
CHANGE = "hits.change_study"
# What a purge leaves, and why.
STAYS = (
    (
        "Rewards, bonuses, frozen runs and the books stay: the law asks for them. They keep the provider's "
        "number of each piece of work, and frozen runs the pseudonym of then: by these the provider could "
        "say who it was."
    ),
    (
        "Answers and scores stay, and are nobody's: those of one person stay together, and lead to no id. "
        "What somebody typed into an answer about themselves stays too: look through the answers before."
    ),
    "Consent stays as a fact: that somebody agreed to a version, and when.",
    "Releases stay as they were published. Copies of the databases stay until you delete them.",
    "People who also work for another study stay known there, and only there.",
    "Blocked people, and those who said that they are under 18, stay known by their id, without their work.",
    "The audit log stays.",
)
Suggest = Callable[[Study], "tuple[date, str] | None"]
_suggestions: list[Suggest] = []


def suggest_from(suggest: Suggest) -> None:
    """Register who may know a study's last day, with the words that say so. A higher room calls this."""
    _suggestions.append(suggest)


def suggested(study: Study) -> tuple[date, str] | None:
    return next((found for suggest in _suggestions if (found := suggest(study))), None)


class DateForm(forms.ModelForm[Study]):
    class Meta:
        model = Study
        fields = ("personal_data_until", "purges_by_itself")
        widgets = {"personal_data_until": forms.DateInput({"type": "date"})}

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if values.get("purges_by_itself") and not values.get("personal_data_until"):
            self.add_error("purges_by_itself", "It needs a last day.")
        return values


class NameForm(forms.Form):
    name = forms.CharField(
        label="Name of the study",
        widget=forms.TextInput({"autocomplete": "off"}),
        help_text="Type it, to be sure that it is this one.",
    )

    def __init__(self, data: QueryDict | None, *, study: Study) -> None:
        super().__init__(data, label_suffix="")
        self.study = study

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name.strip() != self.study.name:
            raise forms.ValidationError("This is not the name of the study. Nothing was erased.")
        return name


def purge_view(studies: admin.ModelAdmin[Study], request: HttpRequest, pk: int) -> HttpResponse:
    need(request, VIEW)
    study = get_object_or_404(studies_of(request.user), pk=pk)
    now = timezone.now()
    context = {
        **_shared_of(studies, request, study),
        "title": f"Personal data of {study}",
        "rows": erasable(study),
        "stays": STAYS,
        "obstacles": [] if study.purged_at else obstacles(study),
        "is_due": purging.last_day_is_over(study, now=now),
        "suggested": None if study.personal_data_until else suggested(study),
        "purges": study.purges.order_by("-pk"),
    }
    return TemplateResponse(request, "admin/hits/purge/study.html", context)


def proof_view(
    studies: admin.ModelAdmin[Study], request: HttpRequest, pk: int, public_id: UUID
) -> HttpResponse:
    """Show the proof of a purge; the same as JSON is a file."""
    need(request, VIEW)
    study = get_object_or_404(studies_of(request.user), pk=pk)
    purge = get_object_or_404(Purge.objects.select_related("study", "by"), study=study, public_id=public_id)
    proof = proof_of(purge, now=timezone.now())
    if "json" in request.GET:
        text = json.dumps(proof, indent=2, cls=DjangoJSONEncoder)
        headers = {"Content-Disposition": f'attachment; filename="purge-{purge.public_id}.json"'}
        return HttpResponse(text, content_type="application/json", headers=headers)
    context = {
        **_shared_of(studies, request, study),
        "title": f"Purge of {study}",
        "purge": purge,
        "proof": proof,
    }
    return TemplateResponse(request, "admin/hits/purge/proof.html", context)


def _shared_of(studies: admin.ModelAdmin[Study], request: HttpRequest, study: Study) -> dict[str, Any]:
    return {**studies.admin_site.each_context(request), "opts": studies.opts, "study": study}


def _ask_date(call: Call[Study]) -> Confirm:
    found = suggested(call.row)
    text = f"The consent text says: “{found[1]}” That would be {found[0]:%d %B %Y}." if found else ""
    return Confirm(title="How long are personal data kept?", text=text, button="Save")


def _set_date(call: Call[Study]) -> Outcome:
    study, values = call.row, call.values
    Study.objects.filter(pk=study.pk).update(**values)
    until = values["personal_data_until"]
    how = " and are then purged by themselves" if values["purges_by_itself"] else ""
    words = (
        f"Personal data are kept until {until:%d %B %Y}{how}." if until else "No last day for personal data."
    )
    note("study.kept_until", words, by=call.by, now=call.now, study=study)
    return Outcome(said=words)


def _ask(call: Call[Study]) -> Confirm:
    study = call.row
    found = [f"{one.name}: {one.count}" for one in erasable(study) if one.count]
    in_the_way = "" if purging.last_day_is_over(study, now=call.now) else "The last day is not over. "
    in_the_way += " ".join(obstacles(study))
    return Confirm(
        title=f"Purge “{study}”?",
        text="This cannot be undone. It is done in the background; the proof is on the page of the study.",
        detail="admin/hits/purge/asked.html",
        details={"found": found, "stays": STAYS},
        problem=in_the_way,
        is_blocked=bool(in_the_way),
        button="Erase",
    )


def _begin(call: Call[Study]) -> Outcome:
    purge = purging.begin_purge(study=call.row, by=call.by, now=call.now)
    to = reverse("admin:hits_study_purged", args=[call.row.pk, purge.public_id])
    return Outcome(said="The purge has begun.", to=to)


def _date_form(data: QueryDict | None, call: Call[Study]) -> DateForm:
    found = suggested(call.row)
    first = call.row.personal_data_until or (found[0] if found else None)
    return DateForm(data, instance=Study.objects.get(pk=call.row.pk), initial={"personal_data_until": first})


def _find(request: HttpRequest, pk: int) -> list[Study]:
    return [get_object_or_404(studies_of(request.user), pk=pk)]


def _shared(studies: Sequence[Study]) -> Mapping[str, Any]:
    return {"study": studies[0], "opts": Study._meta}


PAGES = ActionPages(
    actions={
        "date": Action(
            label="Set the last day", permissions=[CHANGE], form=_date_form, confirm=_ask_date, run=_set_date
        ),
        "purge": Action(
            label="Purge...",
            permissions=[PURGE],
            form=lambda data, call: NameForm(data, study=call.row),
            confirm=_ask,
            run=_begin,
            is_grave=True,
        ),
    },
    find=_find,
    back=lambda studies: reverse("admin:hits_study_personal_data", args=[studies[0].pk]),
    base="admin/hits/study/action_base.html",
    shared=_shared,
)


def urls(studies: admin.ModelAdmin[Study]) -> list[URLPattern]:
    shown = studies.admin_site.admin_view

    def personal_data(request: HttpRequest, pk: int) -> HttpResponse:
        return purge_view(studies, request, pk)

    def proof(request: HttpRequest, pk: int, public_id: UUID) -> HttpResponse:
        return proof_view(studies, request, pk, public_id)

    return [
        path("<int:pk>/personal-data/", shown(personal_data), name="hits_study_personal_data"),
        path("<int:pk>/personal-data/until/", shown(PAGES.view("date")), name="hits_study_kept_until"),
        path("<int:pk>/personal-data/purge/", shown(PAGES.view("purge")), name="hits_study_purge"),
        path("<int:pk>/personal-data/purged/<uuid:public_id>/", shown(proof), name="hits_study_purged"),
    ]


def _waiting(user: User, now: datetime) -> Iterator[Waiting]:
    due = purging.past_their_date(now=now).filter(pk__in=studies_of(user))
    for study in due[:5]:
        url = reverse("admin:hits_study_personal_data", args=[study.pk])
        words = f"study whose personal data are past their last day: {study}"
        yield Waiting(count=1, words=words, one=words, url=url)


waiting.register(_waiting, permissions=[PURGE, CHANGE])
announce(
    StudyPage(
        name="Personal data",
        tab=Tab.DATA,
        permission=VIEW,
        address=lambda study: reverse("admin:hits_study_personal_data", args=[study.pk]),
        about="How long ids of people are kept, what a purge would erase, and what it has erased.",
    )
)
