"""The page of a study's work in one family: a card for each part, its rules, and its launches."""

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, reverse

from hits.admin.projects.project_base import Project, ProjectPagesBase
from hits.admin.projects.project_batches import with_batches
from hits.admin.projects.project_steps import DRAFT, STEER, draft_view, grow_view, settings_view
from hits.admin.projects.stage_line import next_step, stages_of
from hits.admin.selection import need, signed_in
from hits.admin.studies.study_pages import pages_beside_projects
from hits.studies.models import Study
from hits.work.access import studies_of

LOOK_AGAIN_MS = 4_000
TAKE = "hits.export_batch"


class ProjectPages(ProjectPagesBase[Project]):
    """The admin of a family's projects. The family names its cards, its form and its further pages."""

    change_list_template = "admin/hits/project_list.html"
    nothing_yet = "No study has this kind of work yet. Set it up with the button above, or on a study's page."
    list_display: tuple[str, ...] = ("study",)
    list_select_related: ClassVar[tuple[str, ...]] = ("study",)
    search_fields = ("study__name",)
    ordering = ("-pk",)
    show_full_result_count = False

    def more_urls(self) -> Sequence[URLPattern]:
        """Further pages of the family, each made by `self.at`."""
        return ()

    def get_urls(self) -> list[URLPattern]:
        return [
            self.at("of-study/<int:pk>/", of_study_view, "of_study"),
            self.at("<int:pk>/settings/", settings_view, "settings"),
            self.at("<int:pk>/draft/<str:task>/", draft_view, "draft"),
            self.at("<int:pk>/grow/<uuid:batch>/", grow_view, "grow"),
            *self.more_urls(),
            *super().get_urls(),
        ]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        extra = {
            "title": self.name,
            "about": self.about,
            "add_url": reverse(f"admin:{self.row}_add"),
            "may_set_up": request.user.has_perm(self.permission("add")),
        }
        return super().changelist_view(request, {**extra, **(extra_context or {})})

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        need(request, self.permission("view"))
        if request.method != "POST" and not request.user.has_perm(self.permission("add")):
            messages.info(
                request,
                f"{self.name}: not set up for this study yet. Its researchers can set it up.",
            )
            return redirect(f"admin:{self.row}_changelist")
        need(request, self.permission("add"))
        study = StudyForm(
            request.POST or None, studies=self._free_studies(request), initial=_study_asked(request)
        )
        rules = self.first_rules or self.rules
        form = rules(request.POST or None, request.FILES or None)
        if request.method == "POST" and study.is_valid() and form.is_valid():
            form.instance.study = study.cleaned_data["study"]
            with transaction.atomic():
                project = form.save()
                self.log_addition(request, project, [{"added": {}}])
            messages.success(request, "It is set up.")
            return redirect(self.address(project))
        context = {"title": f"{self.name}: set up", "forms": [study, form], "button": "Set it up"}
        return self.render(request, "admin/hits/project_settings.html", context)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        if not object_id.isascii() or not object_id.isdigit() or len(object_id) > 18:
            raise Http404
        return self.show(request, self.find(request, int(object_id)))

    def show(self, request: HttpRequest, project: Any) -> HttpResponse:
        user, is_set_up = signed_in(request), project.pk is not None
        may_keep = is_set_up and user.has_perm(self.permission("change"))
        may_draft = may_keep and user.has_perm(DRAFT)
        cards = with_batches(self, self.cards_for(project, user), project)
        context = {
            "title": f"{self.name} of {project.study}",
            "cards": cards,
            # The page itself has the cards.
            "stages": list(stages_of(cards, home="")),
            "next": next_step(cards, home="", may_draft=may_draft),
            "note": self.note_on(project),
            "every_ms": LOOK_AGAIN_MS,
            "may_set_up": not is_set_up and user.has_perm(self.permission("add")),
            "set_up_url": self.set_up_address(project.study),
            "may_keep": may_keep,
            "may_draft": may_draft,
            "may_steer": may_keep and user.has_perm(STEER),
            "settings_url": self.address(project, "settings"),
            "study_links": list(pages_beside_projects(project.study, user=user)),
        }
        template = "project_cards" if "fragment" in request.GET else "project"
        return self.render(request, f"admin/hits/{template}.html", context, project=project)

    def _free_studies(self, request: HttpRequest) -> QuerySet[Study]:
        taken = self.model._default_manager.values("study")
        return studies_of(request.user).exclude(pk__in=taken).order_by("name")


class StudyForm(forms.Form):
    study = forms.ModelChoiceField(
        Study.objects.none(),
        empty_label="Choose a study",
        help_text="Studies where it is set up are not offered.",
    )

    def __init__(self, *args: Any, studies: QuerySet[Study], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen: Any = self.fields["study"]
        chosen.queryset = studies


def pages_of(model: type[Project]) -> ProjectPages[Project]:
    """The project's pages, for pages of rows that belong to a project and lead back to it."""
    return cast("ProjectPages[Project]", admin.site.get_model_admin(model))


def of_study_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    """Open the study's project, or the form that sets one up."""
    need(request, pages.permission("view"))
    study = get_object_or_404(studies_of(request.user), pk=pk)
    if project := pages.get_queryset(request).filter(study=study).first():
        return redirect(pages.address(project))
    if pages.stands_unset:
        return pages.show(request, pages.model(study=study))
    return redirect(pages.set_up_address(study))


@transaction.atomic
def open_project(model: type[Project], *, study: Study, **rules: Any) -> Project:
    """The study's project, created if there is none."""
    project, _ = model._default_manager.get_or_create(study=study, defaults=rules)
    return project


def _study_asked(request: HttpRequest) -> dict[str, str]:
    asked = request.GET.get("study", "")
    return {"study": asked} if asked.isascii() and asked.isdigit() and len(asked) < 19 else {}
