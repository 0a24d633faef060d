"""The study that somebody works on: that of the page, or else the one that they looked at last.

It is shown in the head of every page and chosen first in forms. It is kept in the session as a number alone,
and looked up anew each time among the studies that the user may see: it never opens anything.
"""

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from hits.admin.page_parts import read_number
from hits.studies.models import Batch, Study
from hits.work.access import studies_of

KEY = "current_study"
# The names of arguments of addresses that say by themselves what they number.
NUMBERED: dict[str, type[Model]] = {"study_id": Study, "batch_id": Batch}


def current_study(request: HttpRequest) -> Study | None:
    if not hasattr(request, "session") or not request.user.has_perm("hits.view_study"):
        return None
    known: dict[str, Study | None] = request.__dict__.setdefault("_current_study", {})
    if "study" not in known:
        known["study"] = _find(request)
    return known["study"]


def _find(request: HttpRequest) -> Study | None:
    kept = request.session.get(KEY)
    for keys in (*_keys_of_page(request), [kept] if kept else []):
        found = studies_of(request.user).filter(pk__in=keys).only("name").first() if keys else None
        if found is not None:
            if found.pk != kept:
                request.session[KEY] = found.pk
            return found
    return None


def _keys_of_page(request: HttpRequest) -> Iterator[Any]:
    """Yield what says which study the page is about: a filter or a choice in its address, or its row."""
    for name, value in request.GET.items():
        if name == "study" or name.endswith("study__id__exact"):
            number = read_number(str(value))
            if number is not None:
                yield [number]
    match = request.resolver_match
    for name, value in (match.kwargs if match else {}).items():
        model = NUMBERED.get(name) or _model_of(match.url_name or "")  # type: ignore[union-attr]
        number = read_number(str(value))
        if model is not None and number is not None:
            yield _studies_of_row(model, number)
            return


def _studies_of_row(model: type[Model], number: int) -> Any:
    if model is Study:
        return [number]
    path: str = getattr(model, "study_path", "")
    rows: QuerySet[Any] = model._default_manager.filter(pk=number)
    return rows.values(path) if path else []


def _model_of(url_name: str) -> type[Model] | None:
    """Return the model that a page of this name is about, such as hits_batch_live or hits_ledger_study."""
    if url_name.endswith("_study"):
        return Study
    lists = ((f"{model._meta.app_label}_{model._meta.model_name}_", model) for model in apps.get_models())
    return next((model for prefix, model in lists if url_name.startswith(prefix)), None)
