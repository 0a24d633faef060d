"""The base of all pages of a family's projects: their addresses, and who may see them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, TypeVar
from urllib.parse import urlencode

from django import forms
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from hits.admin.page_parts import ReadOnlyAdmin
from hits.admin.projects.project_cards import Card, CardOf, shown_to
from hits.admin.selection import need
from hits.batches.services import top_up
from hits.identity.models.users import User
from hits.studies.models import Batch, Study
from hits.work.access import studies_of

Project = TypeVar("Project", bound=Model)


class ProjectPagesBase(ReadOnlyAdmin[Project]):
    """The admin of a family's projects, one row for each study."""

    cards: ClassVar[Sequence[CardOf]] = ()
    rules: ClassVar[type[forms.ModelForm[Any]]]
    # The form that sets the project up, if it asks for other things than its settings.
    first_rules: ClassVar[type[forms.ModelForm[Any]] | None] = None
    about: ClassVar[str]
    # True for a family with default rules: the page exists even for a study that has set up none.
    stands_unset: ClassVar[bool] = False
    # The project's name in the title of its page.
    name: ClassVar[str]

    def at(self, address: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
        """An address whose `view` is given this admin, the request, and the address's arguments."""
        return path(address, self.admin_site.admin_view(partial(view, self)), name=f"{self.label}_{name}")

    def make_cards(self, project: Any, user: User) -> Iterable[Card]:
        """The project's cards, in the order of the work."""
        return (card(project, user) for card in self.cards)

    def cards_for(self, project: Any, user: User) -> list[Card]:
        return shown_to(user, self.make_cards(project, user))

    def growing_batch(self, project: Any, task: str, batches: Sequence[Batch]) -> Batch | None:
        """The newest of a task's batches that may get more HITs and is posted at a provider, or None."""
        running = (batch for batch in batches if batch.status in top_up.GROWING)
        return next((batch for batch in running if not batch.account.can.are_players), None)

    def keep_draft(self, project: Any, draft: Batch) -> None:
        """Called with a draft that was begun on this family's page."""

    def note_on(self, project: Any) -> str:
        """A note above all cards."""
        return ""

    @property
    def label(self) -> str:
        return self.opts.app_label

    @property
    def row(self) -> str:
        """The prefix of the model's address names: its app and its name."""
        return f"{self.label}_{self.opts.model_name}"

    def permission(self, verb: str) -> str:
        return f"{self.label}.{verb}_{self.opts.model_name}"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Project]:
        return self.model._default_manager.select_related("study").filter(study__in=studies_of(request.user))

    def find(self, request: HttpRequest, pk: int, *permissions: str) -> Any:
        """The project, if the user may see its study and has these permissions; otherwise 403 or 404."""
        need(request, self.permission("view"), *permissions)
        return get_object_or_404(self.get_queryset(request), pk=pk)

    def render(
        self, request: HttpRequest, template: str, context: Mapping[str, Any], *, project: Any = None
    ) -> HttpResponse:
        """Render a template that extends "admin/hits/project_base.html", which links back to the project."""
        shared = {**self.admin_site.each_context(request), **self.shared(project)}
        return TemplateResponse(request, template, {**shared, **context})

    def shared(self, project: Any = None, *, trail: Sequence[tuple[str, str]] = ()) -> Mapping[str, Any]:
        """The context that locates each page below the project; `trail`: the breadcrumbs in between."""
        home = self.address(project) if project else ""
        return {"opts": self.opts, "pages": self, "project": project, "home": home, "trail": trail}

    def address(self, project: Any, name: str = "", *more: Any) -> str:
        """The address of a page of the project, or of its study's page before the project is set up."""
        if project.pk is None:
            return reverse(f"admin:{self.label}_of_study", args=[project.study_id])
        page = f"{self.label}_{name}" if name else f"{self.row}_change"
        return reverse(f"admin:{page}", args=[project.pk, *more])

    def set_up_address(self, study: Study) -> str:
        return f"{reverse(f'admin:{self.row}_add')}?{urlencode({'study': study.pk})}"
