"""Copying a study: another one with its settings, its tests and its texts, and nobody in it yet."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.core.validators import MinValueValidator
from django.http import HttpRequest, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse

from hits.admin.actions import Action, ActionPages, Call, Confirm, Outcome
from hits.admin.selection import need
from hits.batches.services.study_copies import copy_study
from hits.common.currencies import name_of
from hits.studies.models import Study
from hits.work.access import studies_of

LONGEST = Study._meta.get_field("name").max_length


class CopyForm(forms.Form):
    name = forms.CharField(max_length=LONGEST, label="Name of the new study")
    budget = forms.DecimalField(
        max_digits=13,
        decimal_places=2,
        validators=[MinValueValidator(0)],
        help_text="Nothing is spent before a batch is launched.",
    )
    same_people = forms.BooleanField(label="The same people see it", required=False)

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"].strip()
        if Study.objects.filter(name=name).exists():
            raise forms.ValidationError(f"There is a study called “{name}” already. Choose another name.")
        return name


def _form(data: QueryDict | None, call: Call[Study]) -> CopyForm:
    study = call.row
    name = f"{study.name[: (LONGEST or 0) - 6]}, copy"
    form = CopyForm(data, initial={"name": name, "budget": study.budget, "same_people": True})
    budget = form.fields["budget"]
    budget.help_text = f"{name_of(study.currency).capitalize()}. {budget.help_text}"
    return form


def _ask(call: Call[Study]) -> Confirm:
    return Confirm(
        title=f"Copy {call.row}",
        text="The new study has the bonus table and the settings of each kind of work. New drafts start with "
        "the terms of the newest batches.",
        consequences=[
            "Its tests are copied switched off, and its consent text as a draft: read both before a launch.",
            "People, work, data and money stay where they are. Nothing is launched.",
        ],
    )


def _copy(call: Call[Study]) -> Outcome:
    study = copy_study(source=call.row, by=call.by, now=call.now, **call.values)
    return Outcome(
        said=f"The study “{study}” is made, with the settings of “{call.row}”.",
        to=reverse("admin:hits_study_change", args=[study.pk]),
    )


COPYING = Action(label="Copy this study", permissions=["hits.add_study"], form=_form, confirm=_ask, run=_copy)


def _find(request: HttpRequest, pk: int) -> list[Study]:
    need(request, "hits.view_study")
    return [get_object_or_404(studies_of(request.user), pk=pk)]


def _shared(studies: Sequence[Study]) -> Mapping[str, Any]:
    return {"study": studies[0], "opts": Study._meta}


PAGES = ActionPages(
    actions={"copy": COPYING},
    find=_find,
    back=lambda studies: reverse("admin:hits_study_change", args=[studies[0].pk]),
    url=lambda study, key: reverse(f"admin:hits_study_{key}", args=[study.pk]),
    base="admin/hits/study/action_base.html",
    shared=_shared,
)


def urls(studies: admin.ModelAdmin[Study]) -> list[URLPattern]:
    view = studies.admin_site.admin_view(PAGES.view("copy"))
    return [path("<int:pk>/copy/", view, name="hits_study_copy")]
