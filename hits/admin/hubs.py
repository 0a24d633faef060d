"""The page of a study's work of one family: a panel for each part of it, its rules, and its launches."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, TypeVar
from urllib.parse import urlencode
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Count, Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from hits import families
from hits.access import studies_of
from hits.admin.parts import ReadOnlyAdmin
from hits.admin.selecting import need, signed_in
from hits.admin.study_pages import StudyPage, announce
from hits.domain.words import read_uuid
from hits.errors import RuleBroken
from hits.models import Account, Batch, Item, Study, User
from hits.services import drafting, growing

LOOK_AGAIN_MS = 4_000
MOST_BATCHES = 5
TAKE = "hits.export_batch"
DRAFT = "hits.add_batch"
STEER = "hits.steer_batch"
Project = TypeVar("Project", bound=Model)


@dataclass(frozen=True, kw_only=True)
class Figure:
    name: str
    count: int
    # How many it is when all is done. None: nobody knows.
    of: int | None = None
    url: str = ""


@dataclass(frozen=True, kw_only=True)
class Way:
    """A link of a panel. `is_first`: what most people should do now."""

    name: str
    url: str
    is_first: bool = False


@dataclass(frozen=True, kw_only=True)
class Panel:
    """`task`: whose batches stand below it, with what is asked and the way to a launch."""

    key: str
    title: str
    about: str
    figures: Sequence[Figure] = ()
    ways: Sequence[Way] = ()
    next: str = ""
    problems: Sequence[str] = ()
    tasks: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One task of a panel: how much is asked of workers, and by which batches."""

    task: str
    name: str
    items: int
    batches: Sequence[Batch]
    # So many HITs more, and every wanted answer has a place.
    lacking: int
    draft_url: str
    grow_url: str = ""


@dataclass(frozen=True, kw_only=True)
class Shown:
    panel: Panel
    asked: Sequence[Asked] = field(default_factory=tuple)


PanelOf = Callable[[Any, User], Panel]
Views = Mapping[str, Callable[..., HttpResponseBase]]


class DraftForm(forms.Form):
    account = forms.ModelChoiceField(
        queryset=Account.objects.none(), help_text="Where the work is posted and paid."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        account: Any = self.fields["account"]
        account.queryset = Account.objects.connected().order_by("name")
        if account.queryset.count() == 1:
            account.initial = account.queryset.get()


class HubAdmin(ReadOnlyAdmin[Project]):
    """One row for each study. A family names its panels, its form and its further pages."""

    panels: ClassVar[Sequence[PanelOf]] = ()
    rules: ClassVar[type[forms.ModelForm[Any]]]
    about: ClassVar[str]
    # As in the title of its page.
    name: ClassVar[str]
    change_list_template = "admin/hits/hub_list.html"
    list_display: tuple[str, ...] = ("study",)
    list_select_related: ClassVar[tuple[str, ...]] = ("study",)
    search_fields = ("study__name",)
    ordering = ("-pk",)
    show_full_result_count = False

    def more_urls(self) -> Sequence[URLPattern]:
        """Pages of the family. `self.at` makes each of them."""
        return ()

    def at(self, address: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
        """`view` is given this admin, the request, and what the address holds."""
        return path(address, self.admin_site.admin_view(partial(view, self)), name=f"{self.label}_{name}")

    def get_urls(self) -> list[URLPattern]:
        return [
            self.at("of-study/<int:pk>/", of_study_view, "of_study"),
            self.at("<int:pk>/settings/", settings_view, "settings"),
            self.at("<int:pk>/draft/<str:task>/", draft_view, "draft"),
            self.at("<int:pk>/grow/<uuid:batch>/", grow_view, "grow"),
            *self.more_urls(),
            *super().get_urls(),
        ]

    def growing_batch(self, project: Any, task: str, batches: Sequence[Batch]) -> Batch | None:
        """Of a task's batches, newest first, the one that may get more HITs, if it is a provider's."""
        running = (batch for batch in batches if batch.status in growing.GROWING)
        return next((batch for batch in running if batch.account.kind != Account.Kind.WEB), None)

    @property
    def label(self) -> str:
        return self.opts.app_label

    @property
    def row(self) -> str:
        """How addresses name its model: by its app and by itself."""
        return f"{self.label}_{self.opts.model_name}"

    def permission(self, verb: str) -> str:
        return f"{self.label}.{verb}_{self.opts.model_name}"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Project]:
        return self.model._default_manager.select_related("study").filter(study__in=studies_of(request.user))

    def find(self, request: HttpRequest, pk: int, *permissions: str) -> Any:
        """The project, for whoever may see its study and has these. Otherwise 403, or 404."""
        need(request, self.permission("view"), *permissions)
        return get_object_or_404(self.get_queryset(request), pk=pk)

    def render(
        self, request: HttpRequest, template: str, context: Mapping[str, Any], *, project: Any = None
    ) -> HttpResponse:
        """`template`: extends "admin/hits/hub_base.html", which leads back to the project."""
        shared = {**self.admin_site.each_context(request), **self.shared(project)}
        return TemplateResponse(request, template, {**shared, **context})

    def shared(self, project: Any = None, *, trail: Sequence[tuple[str, str]] = ()) -> Mapping[str, Any]:
        """What each page below the project says of where it is; `trail`: what stands in between."""
        home = self.address(project) if project else ""
        return {"opts": self.opts, "hub": self, "project": project, "home": home, "trail": trail}

    def address(self, project: Any, name: str = "", *more: Any) -> str:
        """Of a page of the family, or of the project's own."""
        page = f"{self.label}_{name}" if name else f"{self.row}_change"
        return reverse(f"admin:{page}", args=[project.pk, *more])

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
                request, f"{self.name}: not set up for this study yet. A researcher of it does that."
            )
            return redirect(f"admin:{self.row}_changelist")
        need(request, self.permission("add"))
        study = StudyForm(
            request.POST or None, studies=self._free_studies(request), initial=_study_asked(request)
        )
        form = self.rules(request.POST or None)
        if request.method == "POST" and study.is_valid() and form.is_valid():
            form.instance.study = study.cleaned_data["study"]
            project = form.save()
            self.log_addition(request, project, [{"added": {}}])
            messages.success(request, "It is set up.")
            return redirect(self.address(project))
        context = {"title": f"{self.name}: set up", "forms": [study, form], "button": "Set it up"}
        return self.render(request, "admin/hits/hub_settings.html", context)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        if not object_id.isascii() or not object_id.isdigit() or len(object_id) > 18:
            raise Http404
        project = self.find(request, int(object_id))
        user = signed_in(request)
        panels = [panel(project, user) for panel in self.panels]
        context = {
            "title": f"{self.name} of {project.study}",
            "panels": _with_batches(self, panels, project),
            "next": next((panel for panel in panels if panel.next), None),
            "every_ms": LOOK_AGAIN_MS,
            "may_keep": user.has_perm(self.permission("change")),
            "may_draft": user.has_perm(self.permission("change")) and user.has_perm(DRAFT),
            "may_steer": user.has_perm(STEER),
            "settings_url": self.address(project, "settings"),
        }
        template = "hub_panels" if "fragment" in request.GET else "hub"
        return self.render(request, f"admin/hits/{template}.html", context, project=project)

    def _free_studies(self, request: HttpRequest) -> QuerySet[Study]:
        taken = self.model._default_manager.values("study")
        return studies_of(request.user).exclude(pk__in=taken).order_by("name")


class StudyForm(forms.Form):
    study = forms.ModelChoiceField(Study.objects.none(), empty_label="Choose a study")

    def __init__(self, *args: Any, studies: QuerySet[Study], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen: Any = self.fields["study"]
        chosen.queryset = studies


def settings_view(hub: HubAdmin[Any], request: HttpRequest, pk: int) -> HttpResponse:
    project = hub.find(request, pk, hub.permission("change"))
    form = hub.rules(request.POST or None, instance=project)
    if request.method == "POST" and form.is_valid():
        form.save()
        hub.log_change(request, project, [{"changed": {"fields": form.changed_data}}])
        messages.success(request, "The settings are kept.")
        return redirect(hub.address(project))
    context = {"title": "Settings", "forms": [form], "button": "Keep the settings"}
    return hub.render(request, "admin/hits/hub_settings.html", context, project=project)


def draft_view(hub: HubAdmin[Any], request: HttpRequest, pk: int, task: str) -> HttpResponse:
    """From a panel to the guide: a draft with the right task and price, and then its terms and its launch."""
    project = hub.find(request, pk, hub.permission("change"), DRAFT)
    if not any(task in panel(project, signed_in(request)).tasks for panel in hub.panels):
        raise Http404
    family = families.get(task)
    form = DraftForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            draft = drafting.start_draft(
                study=project.study,
                task=task,
                by=signed_in(request),
                key=read_uuid(request.POST.get("key", "")),
                **form.cleaned_data,
            )
        except RuleBroken as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, "The draft is made. Look at its terms and its people, then launch it.")
            return redirect("admin:hits_batch_step", draft.pk, "terms")
    context = {
        "title": f"Launch: {family.name}",
        "family": family,
        "items": _wanting(project.study_id, [task]).count(),
        "form": form,
        "key": request.POST.get("key") or str(uuid4()),
    }
    return hub.render(request, "admin/hits/hub_draft.html", context, project=project)


def grow_view(hub: HubAdmin[Any], request: HttpRequest, pk: int, batch: Any) -> HttpResponse:
    """As many HITs more as the answers that are wanted now have no place for."""
    project = hub.find(request, pk, hub.permission("change"), STEER)
    chosen = get_object_or_404(Batch, public_id=batch, study=project.study_id)
    if request.method == "POST":
        try:
            count = growing.grow_batch(batch=chosen, by=signed_in(request), now=timezone.now())
        except RuleBroken as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, f"HITs added: {count}.")
    return redirect(hub.address(project))


def announce_hub(model: type[Model], *, name: str) -> None:
    """The page of a study leads to its project, or to the form that sets one up."""
    label = model._meta.app_label
    address = f"admin:{label}_of_study"
    announce(
        StudyPage(
            name=name,
            permission=f"{label}.view_{model._meta.model_name}",
            address=lambda study: reverse(address, args=[study.pk]),
        )
    )


def of_study_view(hub: HubAdmin[Any], request: HttpRequest, pk: int) -> HttpResponse:
    need(request, hub.permission("view"))
    study = get_object_or_404(studies_of(request.user), pk=pk)
    if project := hub.get_queryset(request).filter(study=study).first():
        return redirect(hub.address(project))
    return redirect(f"{reverse(f'admin:{hub.row}_add')}?{urlencode({'study': study.pk})}")


@transaction.atomic
def open_project(model: type[Project], *, study: Study, **rules: Any) -> Project:
    """The study's one, or a new one."""
    project, _ = model._default_manager.get_or_create(study=study, defaults=rules)
    return project


def _with_batches(hub: HubAdmin[Any], panels: Sequence[Panel], project: Any) -> list[Shown]:
    tasks = [task for panel in panels for task in panel.tasks]
    batches: Sequence[Batch] = ()
    wanting: Mapping[str, int] = {}
    if tasks:
        batches = list(
            Batch.objects.filter(study=project.study_id, task__in=tasks)
            .select_related("account")
            .order_by("-pk")
        )
        counted = _wanting(project.study_id, tasks).order_by().values_list("task").annotate(Count("pk"))
        wanting = dict(counted)
    return [
        Shown(
            panel=panel,
            asked=[_asked(hub, task, batches, project, items=wanting.get(task, 0)) for task in panel.tasks],
        )
        for panel in panels
    ]


def _asked(hub: HubAdmin[Any], task: str, batches: Sequence[Batch], project: Any, *, items: int) -> Asked:
    own = [batch for batch in batches if batch.task == task]
    running = hub.growing_batch(project, task, own)
    return Asked(
        task=task,
        name=families.get(task).name,
        items=items,
        batches=own[:MOST_BATCHES],
        lacking=growing.hits_lacking(running) if running else 0,
        draft_url=hub.address(project, "draft", task),
        grow_url=hub.address(project, "grow", running.public_id) if running else "",
    )


def _wanting(study: int, tasks: Sequence[str]) -> QuerySet[Item]:
    return Item.objects.filter(study=study, task__in=tasks, wanted__gt=0, pulled_at=None, batch=None)


def _study_asked(request: HttpRequest) -> dict[str, str]:
    asked = request.GET.get("study", "")
    return {"study": asked} if asked.isascii() and asked.isdigit() and len(asked) < 19 else {}
