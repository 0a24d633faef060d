"""The study that somebody works on, and its draft: those of the page, or else what they looked at last.

The study is shown in the head of every page and chosen first in forms; the draft is the way back from a
consent text or a gate that is made for it, to the step that one left. The browser keeps their numbers and
the step alone, and they are looked up anew each time among what the user may see: they never open anything.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from django.apps import apps
from django.conf import settings
from django.db.models import Case, Model, Q, QuerySet, Subquery, When
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse

from hits.admin.page_parts import read_number
from hits.identity.models.users import User
from hits.studies.models import Batch, Study
from hits.work.access import studies_of, visible

# Sites of one address differ in their ports, and so do the names of their cookies.
COOKIE = f"{settings.SESSION_COOKIE_NAME}_study"
DRAFT_COOKIE = f"{settings.SESSION_COOKIE_NAME}_draft"
ASKED = "_current_study"
FIELDS = {"study_pk": "pk", "study_name": "name"}
# The steps of a draft: a page of the guide has one in its address, and the last step is a page of its own.
STEPS = ("what", "terms", "people")
LAST_STEP = "launch"
DRAFT_FIELDS = {"draft_pk": "pk", "draft_title": "title", "draft_study": "study"}
# The names of arguments of addresses that say by themselves what they number.
NUMBERED: dict[str, type[Model]] = {"study_id": Study, "batch_id": Batch}


class CurrentDraft(NamedTuple):
    pk: int
    title: str
    # The step that was looked at last; empty if none was.
    step: str = ""

    @property
    def address(self) -> str:
        if self.step == LAST_STEP:
            return reverse("admin:hits_batch_launch", args=[self.pk])
        if self.step in STEPS:
            return reverse("admin:hits_batch_step", args=[self.pk, self.step])
        return reverse("admin:hits_batch_change", args=[self.pk])

    @property
    def kept_as(self) -> str:
        return f"{self.pk}.{self.step}" if self.step else str(self.pk)


class CurrentStudy(NamedTuple):
    pk: int
    name: str
    draft: CurrentDraft | None


def current_study(request: HttpRequest) -> CurrentStudy | None:
    if ASKED not in request.__dict__:
        if not request.user.is_authenticated:
            return None
        found: Any = User.objects.filter(pk=request.user.pk).values(**study_asked_for(request)).get()
        note_study(request, found)
    known: CurrentStudy | None = request.__dict__[ASKED]
    return known


def study_asked_for(request: HttpRequest) -> dict[str, Any]:
    """Return what the query for a page's user asks beside, so that the head costs no query of its own."""
    if not request.user.has_perm("hits.view_study"):
        return {}
    of_page, kept = _keys_of_page(request), read_number(request.COOKIES.get(COOKIE, "")) or 0
    studies = (
        studies_of(request.user)
        .filter(Q(pk__in=of_page) | Q(pk=kept))
        .order_by(Case(When(pk__in=of_page, then=0), default=1))
    )
    asked = {name: Subquery(studies.values(field)[:1]) for name, field in FIELDS.items()}
    return asked | _draft_asked_for(request)


def _draft_asked_for(request: HttpRequest) -> dict[str, Any]:
    if not request.user.has_perm("hits.add_batch"):
        return {}
    kept, _ = _kept_draft(request)
    of_page = (
        read_number(str(request.resolver_match.kwargs.get("batch_id", "")))
        if request.resolver_match
        else None
    )
    drafts = visible(Batch.objects.filter(status=Batch.Status.DRAFT), request.user)
    found = drafts.filter(pk__in=(of_page or 0, kept)).order_by(
        Case(When(pk=of_page or 0, then=0), default=1)
    )
    return {name: Subquery(found.values(field)[:1]) for name, field in DRAFT_FIELDS.items()}


def note_study(request: HttpRequest, found: Mapping[str, Any]) -> None:
    pk, name = (found.get(asked) for asked in FIELDS)
    draft, title, study = (found.get(asked) for asked in DRAFT_FIELDS)
    shown = CurrentDraft(draft, str(title), _step_of(draft, request)) if draft and study == pk else None
    request.__dict__[ASKED] = CurrentStudy(pk, str(name), shown) if pk else None


def remember_study(request: HttpRequest, response: HttpResponseBase) -> None:
    """Keep the numbers of another study and draft than before in the browser, as long as the session's."""
    found: CurrentStudy | None = request.__dict__.get(ASKED)
    if found is None:
        return
    kept = {COOKIE: str(found.pk), DRAFT_COOKIE: found.draft.kept_as if found.draft else ""}
    for cookie, value in kept.items():
        if value and value != request.COOKIES.get(cookie):
            secure = settings.SESSION_COOKIE_SECURE
            response.set_cookie(cookie, value, secure=secure, httponly=True, samesite="Lax")


def _kept_draft(request: HttpRequest) -> tuple[int, str]:
    """The number of the draft that the browser has kept, and its step; 0 if it has kept none."""
    number, _, step = request.COOKIES.get(DRAFT_COOKIE, "").partition(".")
    return read_number(number) or 0, step


def _step_of(draft: int, request: HttpRequest) -> str:
    """The step of the draft that this page is, or else the one that was looked at last."""
    match = request.resolver_match
    if match and str(match.kwargs.get("batch_id", "")) == str(draft):
        if match.url_name == "hits_batch_launch":
            return LAST_STEP
        if (step := match.kwargs.get("step")) in STEPS:
            return str(step)
    kept, step = _kept_draft(request)
    return step if kept == draft and step in (*STEPS, LAST_STEP) else ""


def _keys_of_page(request: HttpRequest) -> Any:
    """Return the number of the study that the page is about: by a choice in its address, or by its row."""
    for name, value in request.GET.items():
        if name == "study" or name.endswith("study__id__exact"):
            number = read_number(str(value))
            if number is not None:
                return [number]
    match = request.resolver_match
    for name, value in (match.kwargs if match else {}).items():
        model = NUMBERED.get(name) or _model_of(match.url_name or "")  # type: ignore[union-attr]
        number = read_number(str(value))
        if model is not None and number is not None:
            return _studies_of_row(model, number)
    return []


def _studies_of_row(model: type[Model], number: int) -> Any:
    if model is Study:
        return [number]
    path: str = getattr(model, "study_path", "")
    rows: QuerySet[Any] = model._default_manager.filter(pk=number)
    return rows.values(path) if path else []


@cache
def _model_of(url_name: str) -> type[Model] | None:
    """Return the model that a page of this name is about, such as hits_batch_live or hits_ledger_study."""
    if url_name.endswith("_study"):
        return Study
    lists = ((f"{model._meta.app_label}_{model._meta.model_name}_", model) for model in apps.get_models())
    return next((model for prefix, model in lists if url_name.startswith(prefix)), None)
