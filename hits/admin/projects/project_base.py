"""Where the projects of a family are, and who may see them: what all pages of a project are made with."""

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
from hits.providers.models.accounts import Account
from hits.studies.models import Batch, Study
from hits.work.access import studies_of

Project = TypeVar("Project", bound=Model)


class ProjectPagesBase(ReadOnlyAdmin[Project]):
    """One row for each study."""

    cards: ClassVar[Sequence[CardOf]] = ()
    rules: ClassVar[type[forms.ModelForm[Any]]]
    # Where setting it up asks for other things than its settings do.
    first_rules: ClassVar[type[forms.ModelForm[Any]] | None] = None
    about: ClassVar[str]
    # Of a family that has rules of its own for studies that chose none: their page is there all the same.
    stands_unset: ClassVar[bool] = False
    # As in the title of its page.
    name: ClassVar[str]

    def at(self, address: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
        """`view` is given this admin, the request, and what the address holds."""
        return path(address, self.admin_site.admin_view(partial(view, self)), name=f"{self.label}_{name}")

    def make_cards(self, project: Any, user: User) -> Iterable[Card]:
        """In the order of the work."""
        return (card(project, user) for card in self.cards)

    def cards_for(self, project: Any, user: User) -> list[Card]:
        return shown_to(user, self.make_cards(project, user))

    def growing_batch(self, project: Any, task: str, batches: Sequence[Batch]) -> Batch | None:
        """Of a task's batches, newest first, the one that may get more HITs, if it is a provider's."""
        running = (batch for batch in batches if batch.status in top_up.GROWING)
        return next((batch for batch in running if batch.account.kind != Account.Kind.WEB), None)

    def keep_draft(self, project: Any, draft: Batch) -> None:
        """What a family makes of a draft that was begun on its page."""

    def note_on(self, project: Any) -> str:
        """What is said above all cards."""
        return ""

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
        """`template`: extends "admin/hits/project_base.html", which leads back to the project."""
        shared = {**self.admin_site.each_context(request), **self.shared(project)}
        return TemplateResponse(request, template, {**shared, **context})

    def shared(self, project: Any = None, *, trail: Sequence[tuple[str, str]] = ()) -> Mapping[str, Any]:
        """What each page below the project says of where it is; `trail`: what stands in between."""
        home = self.address(project) if project else ""
        return {"opts": self.opts, "pages": self, "project": project, "home": home, "trail": trail}

    def address(self, project: Any, name: str = "", *more: Any) -> str:
        """Of a page of the family, or of the project's own: the only one before it is set up."""
        if project.pk is None:
            return reverse(f"admin:{self.label}_of_study", args=[project.study_id])
        page = f"{self.label}_{name}" if name else f"{self.row}_change"
        return reverse(f"admin:{page}", args=[project.pk, *more])

    def set_up_address(self, study: Study) -> str:
        return f"{reverse(f'admin:{self.row}_add')}?{urlencode({'study': study.pk})}"
