"""The page of a study's weird images: its panels, in the order of the work."""

from collections.abc import Sequence
from typing import ClassVar

from django import forms
from django.contrib import admin
from django.urls import URLPattern

from crowd.whoops.models import Project
from hits.admin.hubs import HubAdmin, PanelOf, announce_hub


class RulesForm(forms.ModelForm[Project]):
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
            "grows_by_itself",
            "guide",
        )
        widgets = {"guide": forms.Textarea(attrs={"rows": 4})}


@admin.register(Project)
class ProjectAdmin(HubAdmin[Project]):
    name = "Weird images"
    about = "One for each study: designers make images, people say what is weird in them, and others judge."
    rules = RulesForm
    panels: ClassVar[Sequence[PanelOf]] = ()

    def more_urls(self) -> Sequence[URLPattern]:
        return []


announce_hub(Project, name="Weird images")
