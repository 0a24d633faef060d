"""The page of a study's weird images: its cards, in the order of the work."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.urls import URLPattern

from crowd.whoops.annotate.admin.annotations import annotation_card, annotation_urls
from crowd.whoops.annotate.admin.training_images import examples_card, training_urls
from crowd.whoops.annotate.services.text_filters import second_filters
from crowd.whoops.control.admin.control_group import control_card, control_urls
from crowd.whoops.design.admin.designer_page import designer_page_urls
from crowd.whoops.design.admin.designers import designer_urls, designers_card
from crowd.whoops.images.admin.own_category_pages import own_category_urls
from crowd.whoops.judge.admin.judging_cards import judging_cards
from crowd.whoops.judge.admin.pairs_and_lists import making_urls
from crowd.whoops.judge.admin.question_import import import_urls
from crowd.whoops.judge.admin.samples import sample_urls
from crowd.whoops.judge.admin.words_of_models import model_word_urls
from crowd.whoops.judge.services.posting_questions import want_judges
from crowd.whoops.models import Project
from crowd.whoops.results.admin import data_files
from crowd.whoops.results.admin.category_pages import category_urls
from crowd.whoops.results.admin.matching_scores import matching_urls
from crowd.whoops.results.admin.statistics import results_card, statistics_urls
from crowd.whoops.review.admin.harm_review import review_urls, reviews_card
from crowd.whoops.review.admin.images import images_card
from crowd.whoops.review.admin.partner_actions import partner_urls
from hits.admin.projects.project_cards import Card, CardOf
from hits.admin.projects.project_page import ProjectPages
from hits.common.currencies import name_of
from hits.identity.models.users import User


class RulesForm(forms.ModelForm[Project]):
    second_filter = forms.ChoiceField(required=False)

    class Meta:
        model = Project
        fields = (
            "control_wanted",
            "control_needed",
            "reviews_wanted",
            "annotations_wanted",
            "judges_wanted",
            "image_pay",
            "negatives",
            "second_filter",
            "grows_by_itself",
            "guide",
        )
        widgets = {"guide": forms.Textarea(attrs={"rows": 4})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["second_filter"]
        model_field: Any = Project._meta.get_field("second_filter")
        if self.instance.study_id:
            named = name_of(self.instance.study.currency).capitalize()
            self.fields["image_pay"].label = f"{named} for each accepted image"
        field.label, field.help_text = model_field.verbose_name.capitalize(), model_field.help_text
        known = [(one.key, f"{one.name}: {one.about}") for one in second_filters()]
        now = self.instance.second_filter
        missing = [(now, f"{now} (not installed: it reads nothing)")]
        field.choices = [("", "None"), *known, *(missing if now and now not in dict(known) else [])]

    def save(self, commit: bool = True) -> Project:
        """Save the rules, and ask questions that are asked already of as many judges as the rules say now."""
        project: Project = super().save(commit)
        if "judges_wanted" in self.changed_data:
            want_judges(project=project)
        return project


@admin.register(Project)
class ProjectAdmin(ProjectPages[Project]):
    name = "Weird images"
    about = "One for each study: designers make images, people say what is weird in them, and others judge."
    rules = RulesForm
    cards: ClassVar[Sequence[CardOf]] = (
        designers_card,
        images_card,
        control_card,
        reviews_card,
        examples_card,
        annotation_card,
    )

    def make_cards(self, project: Project, user: User) -> Iterable[Card]:
        yield from super().make_cards(project, user)
        yield from judging_cards(project, user)
        yield results_card(project, user)

    def more_urls(self) -> Sequence[URLPattern]:
        return [
            *designer_urls(self),
            *designer_page_urls(self),
            *own_category_urls(self),
            *control_urls(self),
            *review_urls(self),
            *partner_urls(self),
            *training_urls(self),
            *annotation_urls(self),
            *making_urls(self),
            *import_urls(self),
            *sample_urls(self),
            *model_word_urls(self),
            *statistics_urls(self),
            *category_urls(self),
            *matching_urls(self),
            *data_files.PAGE.urls(self),
        ]
