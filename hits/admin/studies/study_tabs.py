"""The tabs of a study: who is offered which, and the families that the study uses."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db.models import BooleanField, Exists, ExpressionWrapper, Q
from django.urls import reverse

from hits.admin.projects.project_base import ProjectPagesBase
from hits.admin.studies.study_pages import Tab, has_pages
from hits.identity.models.users import User
from hits.studies.models import Study
from hits.work.models.items import Item

Pages = ProjectPagesBase[Any]
NAMES: Mapping[Tab, str] = {
    Tab.OVERVIEW: "Overview",
    Tab.PEOPLE: "People",
    Tab.WORK: "Work",
    Tab.REVIEW: "Review",
    Tab.MONEY: "Money",
    Tab.DATA: "Data",
    Tab.SETTINGS: "Settings",
    Tab.LOG: "Log",
}
# Whom a tab has something to show, where that is not for everybody who sees the study.
SHOWN: Mapping[Tab, Callable[[User], bool]] = {
    Tab.PEOPLE: lambda user: has_pages(Tab.PEOPLE, user=user),
    Tab.WORK: lambda user: user.has_perm("hits.view_batch"),
    Tab.REVIEW: lambda user: has_pages(Tab.REVIEW, user=user),
    Tab.DATA: lambda user: has_pages(Tab.DATA, user=user),
}


@dataclass(frozen=True, kw_only=True)
class TabLink:
    key: str
    name: str
    url: str


def tabs_of(study: Study, *, user: User, used: Sequence[Pages]) -> list[TabLink]:
    """Return the tabs for this user: the overview, the families that the study uses, and the rest."""
    first, *rest = (_tab(tab, study) for tab in Tab if tab not in SHOWN or SHOWN[tab](user))
    return [first, *(_family_tab(pages, study) for pages in used), *rest]


def families_used(study: Study, *, user: User) -> list[Pages]:
    """Return the pages of the families that the study uses and the user may see, found in one query."""
    seen = list(families_for(user))
    asked: Any = {f"of_{pages.label}": _is_used(pages, study) for pages in seen}
    found: Any = Study.objects.filter(pk=study.pk).values(**asked).first() if asked else None
    return [pages for pages in seen if found and found[f"of_{pages.label}"]]


def families_for(user: User) -> Iterator[Pages]:
    for model in apps.get_models():
        pages = admin.site.get_model_admin(model) if admin.site.is_registered(model) else None
        if isinstance(pages, ProjectPagesBase) and user.has_perm(pages.permission("view")):
            yield pages


def _tab(tab: Tab, study: Study) -> TabLink:
    page = "change" if tab == Tab.OVERVIEW else tab.value
    url = reverse(f"admin:hits_study_{page}", args=[study.pk])
    return TabLink(key=tab.value, name=NAMES[tab], url=url)


def _family_tab(pages: Pages, study: Study) -> TabLink:
    url = reverse(f"admin:{pages.label}_of_study", args=[study.pk])
    return TabLink(key=pages.label, name=pages.name, url=url)


def _is_used(pages: Pages, study: Study) -> ExpressionWrapper[Any]:
    """Whether the study has a project of the family; without one, whether it has items of its tasks."""
    used = Q(Exists(pages.model._default_manager.filter(study=study)))
    if pages.stands_unset:
        used |= Q(Exists(Item.objects.filter(study=study, task__startswith=f"{pages.label}.")))
    return ExpressionWrapper(used, output_field=BooleanField())
