"""The annotators' test: its images with good answers, and how far its workers are."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, reverse
from django.utils import timezone

from crowd.pictures.admin.pool_parts import file_url
from crowd.pictures.fields import PictureField
from crowd.questions.domain import trim
from crowd.whoops import domain
from crowd.whoops.annotate.domain.annotation_texts import LONGEST_TEXT, TEST_IMAGES, TEXTS
from crowd.whoops.annotate.pages.annotate import look_at_texts
from crowd.whoops.annotate.services.training_images import (
    add_training_image,
    ask_training_image,
    asked_images,
    mend_training_image,
    training_images,
)
from crowd.whoops.models import Project, TrainingImage
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.admin.projects.project_page import ProjectPages
from hits.admin.selection import signed_in
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from qualifications.models import Gate
from qualifications.queries.gate_figures import figures_of

KEEP = "whoops.change_project"
PRESET = "whoops.annotator"
LABELS = {
    "caption": "A good caption",
    "explanation": "A good explanation",
    "underspecified": "A good underspecified caption",
}
HELP = {
    "caption": "It names both things that do not go together.",
    "explanation": "It says what everybody knows that the image goes against.",
    "underspecified": "The caption once more, with one of the two left out.",
}


class TextsForm(forms.Form):
    """Model texts: a grader sees them beside the worker's, and no worker does."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for entry in TEXTS:
            self.fields[entry] = forms.CharField(
                label=LABELS[entry],
                help_text=HELP[entry],
                max_length=LONGEST_TEXT,
                widget=forms.Textarea(attrs={"rows": 2}),
            )

    def clean(self) -> dict[str, Any]:
        """Check good answers as workers' answers are checked."""
        cleaned = super().clean() or self.cleaned_data
        texts = {entry: trim(cleaned[entry]) for entry in TEXTS if cleaned.get(entry)}
        if len(texts) == len(TEXTS):
            for entry, words in look_at_texts(texts).faults.items():
                self.add_error(entry, words)
        return {**cleaned, **texts}

    @property
    def texts(self) -> Mapping[str, str]:
        return {entry: self.cleaned_data[entry] for entry in TEXTS}


class ImageForm(TextsForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields = {"picture": PictureField(), **self.fields}


def training_urls(pages: ProjectPages[Any]) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/training/", list_view, "training"),
        pages.at("<int:pk>/training/add/", add_view, "training_add"),
        pages.at("<int:pk>/training/<int:row>/", mend_view, "training_mend"),
        pages.at("<int:pk>/training/<int:row>/ask/", ask_view, "training_ask"),
    ]


def examples_card(project: Project, user: User) -> Card:
    asked = asked_images(project).count()
    gate = Gate.objects.filter(study=project.study_id, test_task=domain.EXAMPLES).first()
    lacking = max(0, TEST_IMAGES - asked)
    problems = []
    if lacking:
        problems.append(f"The test needs {TEST_IMAGES} images, and there are {asked}.")
    if gate is None:
        problems.append("No gate asks for this test yet, so anybody may annotate.")
    elif not gate.is_active:
        problems.append("Its gate is switched off, so anybody may annotate.")
    figures = [
        Metric(name="Images in the test", count=asked, of=max(asked, TEST_IMAGES), url=_list_url(project))
    ]
    waiting = 0
    if gate:
        found = figures_of(gate)
        waiting = found.waiting
        figures += [
            Metric(name="Tests that a person has to grade", count=waiting, url=_grading_url(gate, user)),
            Metric(name="Workers who may annotate", count=found.held),
        ]
    return Card(
        key="examples",
        title="The annotators' test",
        about="Five images that are in no data. Workers write the three texts about each, and a person "
        "grades them beside good answers.",
        metrics=figures,
        problems=problems,
        next=_next(lacking, waiting),
        links=_ways(project, gate, user, lacking=lacking, waiting=waiting),
        tasks=[domain.EXAMPLES],
    )


def list_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk)
    rows = list(training_images(project))
    for row in rows:
        row.picture_url = file_url(row.picture, 160)  # type: ignore[attr-defined]
    asked = sum(row.item.pulled_at is None for row in rows)
    context = {
        "title": "Images of the annotators' test",
        "rows": rows,
        "asked": asked,
        "needed": TEST_IMAGES,
        "lacking": max(0, TEST_IMAGES - asked),
        "may_keep": request.user.has_perm(KEEP),
    }
    return pages.render(request, "admin/whoops/training.html", context, project=project)


def add_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk, KEEP)
    form = ImageForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            row = add_training_image(
                project=project,
                upload=form.cleaned_data["picture"],
                texts=form.texts,
                by=signed_in(request),
                now=timezone.now(),
            )
        except RuleBroken as refusal:
            form.add_error("picture", str(refusal))
        else:
            pages.log_change(request, project, f"Training image {row.pk} added.")
            messages.success(request, "The image is in the test.")
            return redirect(pages.address(project, "training"))
    if request.FILES and form.errors and "picture" not in form.errors:
        form.add_error("picture", "The picture was fine. Choose it again: a page cannot keep it for you.")
    context = {"title": "Add an image to the test", "forms": [form], "button": "Add the image to the test"}
    return pages.render(request, "admin/whoops/training_form.html", context, project=project)


def mend_view(pages: ProjectPages[Any], request: HttpRequest, pk: int, row: int) -> HttpResponse:
    project = pages.find(request, pk, KEEP)
    found = _find(project, row)
    form = TextsForm(request.POST or None, initial={entry: getattr(found, entry) for entry in TEXTS})
    if request.method == "POST" and form.is_valid():
        mend_training_image(row=found, texts=form.texts)
        pages.log_change(request, project, f"Good answers of training image {found.pk} changed.")
        messages.success(request, "The good answers are saved.")
        return redirect(pages.address(project, "training"))
    context = {
        "title": "Good answers to an image of the test",
        "picture_url": file_url(found.picture, 480),
        "forms": [form],
        "button": "Save the good answers",
    }
    return pages.render(request, "admin/whoops/training_form.html", context, project=project)


def ask_view(pages: ProjectPages[Any], request: HttpRequest, pk: int, row: int) -> HttpResponse:
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    project = pages.find(request, pk, KEEP)
    found, is_asked = _find(project, row), request.POST.get("ask") == "yes"
    with transaction.atomic():
        ask_training_image(row=found, is_asked=is_asked, now=timezone.now())
        done = "is in the test again" if is_asked else "is out of the test. It can be put back at any time"
        pages.log_change(request, project, f"Training image {found.pk} {done}.")
    messages.success(request, f"The image {done}.")
    return redirect(pages.address(project, "training"))


def _find(project: Project, row: int) -> TrainingImage:
    return get_object_or_404(training_images(project), pk=row)


def _list_url(project: Project) -> str:
    return reverse("admin:whoops_training", args=[project.pk])


def _grading_url(gate: Gate, user: User) -> str:
    if not user.has_perm("qualifications.grade_attempt"):
        return ""
    return f"{reverse('admin:qualifications_grading')}?{urlencode({'gate': gate.pk})}"


def _next(lacking: int, waiting: int) -> str:
    if lacking:
        return f"Add {lacking} image{'' if lacking == 1 else 's'} to the test."
    if waiting:
        return f"Grade {waiting} submitted test{'' if waiting == 1 else 's'}."
    return ""


def _ways(project: Project, gate: Gate | None, user: User, *, lacking: int, waiting: int) -> list[CardLink]:
    ways = [CardLink(name="Images of the test", url=_list_url(project), is_first=bool(lacking))]
    if gate and waiting and (url := _grading_url(gate, user)):
        ways.append(CardLink(name=f"Grade {waiting}", url=url, is_first=not lacking))
    if gate is None and user.has_perm("qualifications.add_gate"):
        ways.append(CardLink(name="Set up its gate", url=_gate_url(project)))
    return ways


def _gate_url(project: Project) -> str:
    asked = urlencode({"study": project.study_id, "preset": PRESET})
    return f"{reverse('admin:qualifications_gate_add')}?{asked}"
