"""The page of a study's caption matching: its cards, in the order of the work."""

from collections.abc import Sequence
from typing import ClassVar

from django import forms
from django.contrib import admin
from django.db import transaction
from django.urls import URLPattern

from crowd.winoground.admin import (
    asking_workers,
    data_files,
    example_pages,
    examples,
    onboarding,
    people_pages,
    result_examples,
    results,
)
from crowd.winoground.models import Project
from crowd.winoground.services.posted_examples import want_anew
from hits.admin.projects.project_cards import CardOf
from hits.admin.projects.project_page import ProjectPages


class RulesForm(forms.ModelForm[Project]):
    class Meta:
        model = Project
        fields = ("answers_wanted", "apart", "least_gap")
        widgets = {"apart": forms.RadioSelect}
        help_texts = {
            "answers_wanted": "The paper had at least ten. A change also holds for what is asked already.",
            "apart": "Never: each example needs four times as many different workers as a combination does.",
            "least_gap": "Only with a gap: so many questions must be answered in between, on pages that "
            "were begun after the first one was submitted.",
        }

    def save(self, commit: bool = True) -> Project:
        with transaction.atomic():
            project = super().save(commit)
            want_anew(project)
        return project


@admin.register(Project)
class ProjectAdmin(ProjectPages[Project]):
    name = "Caption matching"
    about = "One for each study: experts write pairs of captions and images, and workers say what matches."
    rules = RulesForm
    cards: ClassVar[Sequence[CardOf]] = (
        examples.authoring_card,
        onboarding.onboarding_card,
        asking_workers.asking_card,
        results.results_card,
    )

    def more_urls(self) -> Sequence[URLPattern]:
        return [
            *example_pages.urls(self),
            *people_pages.people_urls(self),
            *onboarding.urls(self),
            *asking_workers.urls(self),
            *results.urls(self),
            *result_examples.urls(self),
            *data_files.PAGE.urls(self),
        ]
