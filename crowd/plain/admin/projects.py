"""The page of a study's own questions: its cards, in the order of the work."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db import transaction
from django.urls import URLPattern

from crowd.plain.admin import data_files, page_description, results, rows
from crowd.plain.models import Project
from crowd.plain.services.posted_rows import want_anew
from hits.admin.projects.project_cards import CardOf
from hits.admin.projects.project_page import ProjectPages

NAME = "Questions of one's own"


class RulesForm(forms.ModelForm[Project]):
    class Meta:
        model = Project
        fields = ("answers_wanted", "answers_most", "sure_percent")
        help_texts = {
            "answers_wanted": "No worker is asked about a row twice. This holds for rows asked already, too.",
            "answers_most": "Rows on which people do not agree are asked of one more, and one more, up to "
            "this number. Running batches grow by themselves, within the budget. Empty: all rows are asked "
            "of the same number. What is written instead of chosen is not compared.",
            "sure_percent": "How likely the likeliest answer to a row has to be. Each person weighs as much "
            "as the others mostly agree with them.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["sure_percent"].required = False

    def clean_sure_percent(self) -> int:
        return self.cleaned_data["sure_percent"] or self.instance.sure_percent

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        fewest, most = cleaned.get("answers_wanted"), cleaned.get("answers_most")
        if fewest and most and most < fewest:
            self.add_error("answers_most", f"Give {fewest} or more, or leave it empty.")
        return cleaned

    def save(self, commit: bool = True) -> Project:
        with transaction.atomic():
            project = super().save(commit)
            want_anew(project)
        return project


@admin.register(Project)
class ProjectAdmin(ProjectPages[Project]):
    name = NAME
    about = "One for each study: describe a page, upload rows, and ask several people about each of them."
    rules = RulesForm
    cards: ClassVar[Sequence[CardOf]] = (
        page_description.page_card,
        rows.rows_card,
        results.results_card,
    )

    def more_urls(self) -> Sequence[URLPattern]:
        return [
            *page_description.urls(self),
            *rows.urls(self),
            *results.urls(self),
            *data_files.PAGE.urls(self),
        ]
