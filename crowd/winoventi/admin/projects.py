"""The list of projects, the pipeline of one, and the forms of its rules and its nouns."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path

from crowd.winoventi.admin import cutting, data, drafts, evaluations, statistics, verbs
from crowd.winoventi.admin.finding import (
    ASK_MODEL,
    DRAFT,
    KEEP,
    LOOK,
    SET_UP,
    TAKE,
    find_project,
    render,
    visible_projects,
)
from crowd.winoventi.admin.forms import NewProjectForm, NounsForm, ProjectForm, StepsForm
from crowd.winoventi.admin.pipeline import pipeline_of
from crowd.winoventi.models import Noun, Project
from crowd.winoventi.services.opening import add_nouns, open_project
from crowd.winoventi.services.ruling import change_rules
from hits.admin.parts import ReadOnlyAdmin
from hits.admin.selecting import need
from hits.errors import InvalidItems

LOOK_AGAIN_MS = 4_000
SHOWN_PROBLEMS = 20
SHOWN_NOUNS = 100


@admin.register(Project)
class ProjectAdmin(ReadOnlyAdmin[Project]):
    list_display = ("study", "generics_model", "filter_model", "rule")
    list_select_related = ("study", "generics_model", "filter_model")
    search_fields = ("study__name",)
    ordering = ("-pk",)
    show_full_result_count = False
    change_list_template = "admin/winoventi/projects.html"
    about: ClassVar[str] = (
        "One for each study: from nouns to pairs that a model gets wrong, in five steps, and how people do."
    )

    def get_urls(self) -> list[URLPattern]:
        def at(address: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            shown = self.admin_site.admin_view(partial(view, self))
            return path(address, shown, name=f"winoventi_{name}")

        return [
            at("<int:pk>/settings/", settings_view, "settings"),
            at("<int:pk>/nouns/", nouns_view, "nouns"),
            *cutting.urls(self),
            *data.urls(self),
            *drafts.urls(self),
            *statistics.urls(self),
            *evaluations.urls(self),
            *verbs.urls(self),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Project]:
        return visible_projects(request)

    @admin.display(description="a pair fails if")
    def rule(self, project: Project) -> str:
        return f"{project.get_fails_by_display()}: {project.fails_at} of {project.answers_wanted}"

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        extra = {
            "title": "Exception procedures",
            "about": self.about,
            "may_set_up": request.user.has_perm(SET_UP),
        }
        return super().changelist_view(request, {**extra, **(extra_context or {})})

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return add_view(self, request)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        if not object_id.isascii() or not object_id.isdigit() or len(object_id) > 18:
            raise Http404
        return project_view(self, request, int(object_id))


def project_view(page: ProjectAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    project = find_project(request, pk)
    pipeline = pipeline_of(project)
    may_keep = request.user.has_perm(KEEP)
    context = {
        "title": f"Exception procedure of {project.study}",
        "project": project,
        "pipeline": pipeline,
        "every_ms": LOOK_AGAIN_MS if pipeline.is_running else 0,
        "may_keep": may_keep,
        "may_draft": may_keep and request.user.has_perm(DRAFT),
        "may_take": request.user.has_perm(TAKE),
        "may_ask": request.user.has_perm(ASK_MODEL),
    }
    return render(page, request, "pipeline" if "fragment" in request.GET else "project", context)


def add_view(page: ProjectAdmin, request: HttpRequest) -> HttpResponse:
    """A procedure and its first nouns, both or neither."""
    need(request, LOOK)
    if request.method != "POST" and not request.user.has_perm(SET_UP):
        messages.info(request, "This study has no exception procedure yet. A researcher of it sets one up.")
        return redirect("admin:winoventi_project_changelist")
    need(request, SET_UP)
    form = NewProjectForm(request.POST or None, user=request.user, initial=_study_asked(request))
    nouns = NounsForm(request.POST or None, request.FILES or None, is_needed=False)
    problems: Sequence[str] = ()
    if request.method == "POST" and form.is_valid() and nouns.is_valid():
        try:
            with transaction.atomic():
                project = open_project(**form.cleaned_data)
                count = add_nouns(project=project, words=nouns.cleaned_data["nouns"])
        except InvalidItems as refusal:
            problems = refusal.problems[:SHOWN_PROBLEMS]
        else:
            page.log_addition(request, project, [{"added": {}}])
            messages.success(request, f"The procedure is set up, with {count} nouns.")
            return redirect("admin:winoventi_project_change", project.pk)
    context = {
        "title": "Set up an exception procedure",
        "forms": [form, nouns],
        "problems": problems,
        "button": "Set it up",
    }
    return render(page, request, "settings", context)


def settings_view(page: ProjectAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    project = find_project(request, pk, KEEP)
    form = ProjectForm(request.POST or None, instance=project)
    steps = StepsForm(request.POST or None, project=project)
    if request.method == "POST" and form.is_valid() and steps.is_valid():
        with transaction.atomic():
            change_rules(project=project, **{name: form.cleaned_data[name] for name in form.changed_data})
            for kind, values in steps.values().items():
                project.steps.filter(kind=kind).update(**values)
        page.log_change(request, project, "The settings were changed.")
        messages.success(request, "Saved. What was decided by other rules is decided anew within seconds.")
        return redirect("admin:winoventi_project_change", project.pk)
    context = {
        "title": "Settings",
        "project": project,
        "forms": [form, steps],
        "button": "Save",
    }
    return render(page, request, "settings", context)


def nouns_view(page: ProjectAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    project = find_project(request, pk)
    if request.method == "POST":
        need(request, KEEP)
    form = NounsForm(request.POST or None, request.FILES or None)
    problems: Sequence[str] = ()
    if request.method == "POST" and form.is_valid():
        try:
            count = add_nouns(project=project, words=form.cleaned_data["nouns"])
        except InvalidItems as refusal:
            problems = refusal.problems[:SHOWN_PROBLEMS]
        else:
            page.log_change(request, project, f"{count} nouns were added.")
            messages.success(request, f"{count} nouns are added, behind those that were there.")
            return redirect("admin:winoventi_nouns", project.pk)
    sought = request.GET.get("q", "").strip()[:64]
    rows = Noun.objects.filter(project=project, word__icontains=sought) if sought else project.nouns.all()
    context = {
        "title": "Nouns",
        "project": project,
        "form": form,
        "problems": problems,
        "may_keep": request.user.has_perm(KEEP),
        "q": sought,
        "count": rows.count(),
        "nouns": rows.order_by("number")[:SHOWN_NOUNS],
    }
    return render(page, request, "nouns", context)


def _study_asked(request: HttpRequest) -> dict[str, str]:
    asked = request.GET.get("study", "")
    return {"study": asked} if asked.isascii() and asked.isdigit() and len(asked) < 19 else {}
