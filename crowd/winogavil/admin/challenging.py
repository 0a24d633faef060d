"""Questions for the solver's test from an association list: looked at first, then added to a draft."""

import secrets
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone

from crowd.pictures.models import Picture
from crowd.winogavil import domain
from crowd.winogavil.services.challenging import MOST, SIZES, Order, add_questions, look_ahead
from hits.access import visible
from hits.admin.parts import read_number
from hits.admin.selecting import need
from hits.errors import RuleBroken
from hits.models import Batch
from qualifications.models import SwowList

LARGEST_SEED = 999_999
PERMISSION = "hits.change_batch"


class QuestionsForm(forms.Form):
    batch = forms.ModelChoiceField(
        Batch.objects.none(), label="Test", help_text="Drafts of the task “Association game: solver's test”."
    )
    swow = forms.ModelChoiceField(SwowList.objects.none(), label="Association list")
    count = forms.IntegerField(
        label="Number of questions",
        min_value=1,
        max_value=MOST,
        initial=50,
        help_text="Everybody is given some of them, drawn for each anew. The more there are, the "
        "less they can tell one another.",
    )
    size = forms.TypedChoiceField(
        label="Pictures of each", choices=[(size, str(size)) for size in SIZES], coerce=int, initial=5
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=LARGEST_SEED,
        help_text="The same seed makes the same questions from the same list and pictures.",
    )

    def __init__(self, *args: Any, drafts: QuerySet[Batch], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, Any] = self.fields
        fields["batch"].queryset = drafts
        fields["swow"].queryset = SwowList.objects.filter(status=SwowList.Status.READY).order_by("name")
        fields["batch"].label_from_instance = lambda batch: f"{batch} (number {batch.pk})"

    @property
    def order(self) -> Order:
        return Order(**self.cleaned_data)


def urls(page: admin.ModelAdmin[Any]) -> list[URLPattern]:
    view = page.admin_site.admin_view(partial(make_view, page))
    return [path("make-test/", view, name="winogavil_make_test")]


def make_view(page: admin.ModelAdmin[Any], request: HttpRequest) -> HttpResponse:
    """Looks first; only the second button adds what was shown."""
    need(request, PERMISSION)
    drafts = _drafts(request)
    form = QuestionsForm(
        request.POST or None,
        drafts=drafts,
        initial={"seed": secrets.randbelow(LARGEST_SEED), "batch": drafts.first()},
    )
    questions, there = [], 0
    if form.is_valid():
        there = form.order.batch.items.count()
        try:
            if "add" in request.POST:
                return _add(request, form.order)
            questions = look_ahead(form.order)
        except RuleBroken as broken:
            form.add_error(None, str(broken))
    context = {
        **page.admin_site.each_context(request),
        "opts": page.model._meta,
        "title": "Make questions for the solver's test",
        "form": form,
        "questions": questions,
        "there": there,
        "drafts": drafts.count(),
        "task": domain.SOLVER_TEST,
        "lists": SwowList.objects.filter(status=SwowList.Status.READY).exists(),
        "playable": Picture.objects.playable().count(),
    }
    return TemplateResponse(request, "admin/winogavil/make_test.html", context)


def _add(request: HttpRequest, order: Order) -> HttpResponse:
    added = add_questions(order, seen=read_number(request.POST.get("there", "")), now=timezone.now())
    words = "1 question was added." if added == 1 else f"{added} questions were added."
    messages.success(request, f"{words} They are the test's own, and in no data of the study.")
    return redirect("admin:hits_batch_step", order.batch.pk, "what")


def _drafts(request: HttpRequest) -> QuerySet[Batch]:
    rows = visible(Batch.objects.filter(status=Batch.Status.DRAFT, task=domain.SOLVER_TEST), request.user)
    if study := read_number(request.GET.get("study", "")):
        rows = rows.filter(study=study)
    return rows.select_related("study").order_by("-pk")
