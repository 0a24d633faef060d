"""Navigation by task: each list of the admin has a place in a section, or is one of the tables below them.

A ModelAdmin says by `menu` where its list stands. Lists without it are the tables of their app, folded at the
end. Pages that belong to no list are added by `add_page`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from django.contrib import admin
from django.db.models import Exists, Model
from django.http import HttpRequest
from django.urls import reverse

from hits.admin.home.current_study import note_study, study_asked_for
from hits.admin.projects.project_page import ProjectPages
from hits.admin.selection import signed_in
from hits.identity.models.users import User


class Section(StrEnum):
    STUDIES = "Studies"
    WORK = "Work"
    PEOPLE = "People"
    DATA = "Data"
    MONEY = "Money"
    SET_UP = "Set-up"


class MenuPlace(NamedTuple):
    """The place of a list: its section, its turn there, and its name, if that is another than the model's."""

    section: Section
    turn: int
    name: str = ""


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page that belongs to no list. It is shown to whoever has one of the permissions; without, to all."""

    place: MenuPlace
    route: str
    permissions: Sequence[str]


# The pages of families' projects stand below the studies.
OF_PROJECTS = MenuPlace(Section.STUDIES, 5)
_pages: list[Page] = []


def add_page(page: Page) -> None:
    """Add a page. Called where it is registered with the admin."""
    _pages.append(page)


def sections_for(
    request: HttpRequest,
    apps: Sequence[Mapping[str, Any]],
    lists: Mapping[type[Model], admin.ModelAdmin[Any]],
) -> list[dict[str, Any]]:
    """Return the sections as the templates of Django take apps, and the other tables by app in the last."""
    found: dict[Section, list[tuple[int, dict[str, Any]]]] = {section: [] for section in Section}
    for page in _pages:
        if not page.permissions or any(request.user.has_perm(one) for one in page.permissions):
            found[page.place.section].append((page.place.turn, _link(page)))
    tables: list[dict[str, Any]] = []
    unused = _unused_apps(request, lists)
    for app in apps:
        rest = []
        for model in app["models"]:
            place = _place_of(lists[model["model"]])
            if place is None or app["app_label"] in unused:
                rest.append(model)
            else:
                found[place.section].append((place.turn, {**model, "name": place.name or model["name"]}))
        if rest:
            tables.append({**app, "models": rest})
    all_tables = {"name": "All tables", "app_label": "tables", "apps": tables}
    sections = [*_filled(found), *([all_tables] if tables else [])]
    _mark_current(sections, request.path)
    return sections


def _mark_current(sections: Iterable[Mapping[str, Any]], path: str) -> None:
    """Mark the link whose address the page's own begins with; of several, the longest."""
    apps = [app for section in sections for app in section.get("apps", [section])]
    links = [link for app in apps for link in app["models"] if path.startswith(link["admin_url"] or " ")]
    if links:
        max(links, key=lambda link: len(link["admin_url"]))["is_current"] = True


def _place_of(pages: admin.ModelAdmin[Any]) -> MenuPlace | None:
    if isinstance(pages, ProjectPages):
        return OF_PROJECTS._replace(name=pages.name)
    return getattr(pages, "menu", None)


def _filled(found: Mapping[Section, list[tuple[int, dict[str, Any]]]]) -> Iterator[dict[str, Any]]:
    for section, models in found.items():
        if models:
            ordered = sorted(models, key=lambda one: (one[0], str(one[1]["name"]).casefold()))
            yield {
                "name": section.value,
                "app_label": section.name.lower(),
                "models": [model for _, model in ordered],
            }


def _link(page: Page) -> dict[str, Any]:
    name = page.place.name
    return {"name": name, "object_name": page.route, "admin_url": reverse(page.route), "add_url": None}


def _unused_apps(request: HttpRequest, lists: Mapping[type[Model], admin.ModelAdmin[Any]]) -> set[str]:
    """Return the apps of families of which this user has no project, unless they have none of any family."""
    projects = {
        model._meta.app_label: Exists(pages.get_queryset(request))
        for model, pages in lists.items()
        if isinstance(pages, ProjectPages)
    }
    asked: Any = {f"of_{label}": exists for label, exists in projects.items()}
    asked |= study_asked_for(request)
    found: Any = User.objects.filter(pk=signed_in(request).pk).values(**asked).get()
    note_study(request, found)
    unused = {label for label in projects if not found[f"of_{label}"]}
    if unused == projects.keys():
        return set()
    return {
        label for label in (model._meta.app_label for model in lists) if label.partition("_")[0] in unused
    }
