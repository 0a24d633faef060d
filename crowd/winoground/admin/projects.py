"""The page of a study's caption matching: its panels, in the order of the work."""

from collections.abc import Sequence
from typing import ClassVar

from django import forms
from django.contrib import admin
from django.urls import URLPattern

from crowd.winoground.models import Project
from hits.admin.hubs import HubAdmin, PanelOf, announce_hub


class RulesForm(forms.ModelForm[Project]):
    class Meta:
        model = Project
        fields = ("answers_wanted", "apart", "least_gap")
        widgets = {"apart": forms.RadioSelect}


@admin.register(Project)
class ProjectAdmin(HubAdmin[Project]):
    name = "Caption matching"
    about = "One for each study: experts write pairs of captions and images, and workers say what matches."
    rules = RulesForm
    panels: ClassVar[Sequence[PanelOf]] = ()

    def more_urls(self) -> Sequence[URLPattern]:
        return []


announce_hub(Project, name="Caption matching")
