"""Every address of a URL list, with existing rows in its placeholders."""

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import models

from tests.attacks.crawling import PLACE, routes

# Placeholders that are not named after their table, with their table and column.
KEYS = {
    "group_id": ("marketplace.HITType", "external_id"),
    "assignment_id": ("marketplace.Assignment", "external_id"),
    "type_id": ("marketplace.QualificationType", "external_id"),
    "requester_id": ("marketplace.Requester", "external_id"),
    "worker_id": ("marketplace.Worker", "external_id"),
    "key_id": ("marketplace.AccessKey", "access_key_id"),
    "layout_id": ("marketplace.Layout", "external_id"),
    "block_id": ("marketplace.Block", "pk"),
    "game_id": ("winogavil_play.WebGame", "public_id"),
}
TABLES = {
    "row": "annotation",
    "question": "firstquestion",
    "scores": "matchingscores",
}


def addresses(urlconf: str, *, under: tuple[str, ...] = ("",)) -> Iterator[str]:
    for route in routes(urlconf):
        if route.startswith(under) and not any(sign in route for sign in "^$(\\"):
            yield "/" + PLACE.sub(lambda place, of=route: _fill(of, place), route)  # type: ignore[misc]


def _fill(route: str, place: Any) -> str:
    """A value for a placeholder of the route, by its own name or by the model of the page."""
    if place["name"] in KEYS and not route.startswith("admin/"):
        label, column = KEYS[place["name"]]
        return str(getattr(apps.get_model(label)._default_manager.order_by("-pk")[0], column))
    row = _row_for(route, place["name"].removesuffix("_id").removesuffix("_pk"))
    if place["kind"] == "uuid":
        return str(getattr(row, "public_id", "00000000-0000-0000-0000-000000000000"))
    return str(row.pk) if row and place["kind"] in ("int", "path") else "1" if place["kind"] == "int" else "x"


def _row_for(route: str, name: str) -> Any:
    """The row for a placeholder: related to the page's own row if possible, else of a table of that name."""
    own, named = _first(_model_of(route)), _named(route, name)
    if named and isinstance(getattr(own, name, None), named):
        return getattr(own, name)
    return _first(named) or own


def _first(model: type[models.Model] | None) -> Any:
    return model._default_manager.order_by("pk").first() if model else None


def _model_of(route: str) -> type[models.Model] | None:
    """The model whose admin page the route is. None for other routes."""
    parts = route.split("/")
    if parts[0] != "admin" or len(parts) < 4:
        return None
    return _look_up(parts[1], "study" if "study" in parts[3:4] else parts[2])


def _named(route: str, name: str) -> type[models.Model] | None:
    parts = route.split("/")
    labels = [parts[1], "hits"] if parts[0] == "admin" else ["hits"]
    found = (_look_up(label, TABLES.get(name, name)) for label in labels)
    return next((model for model in found if model), None)


def _look_up(label: str, name: str) -> type[models.Model] | None:
    try:
        return apps.get_model(label, name.replace("_", ""))
    except (LookupError, ValueError):
        return None
