"""Pages about one study that other rooms keep: they announce them, and a tab of the study leads there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import QuerySet

from hits.admin.projects.project_cards import Metric
from hits.common.count_together import count_together
from hits.identity.models.users import User
from hits.studies.models import Study


class Tab(StrEnum):
    """The tabs of a study, in their order; those of its families stand behind the first."""

    OVERVIEW = "overview"
    PEOPLE = "people"
    WORK = "work"
    REVIEW = "review"
    MONEY = "money"
    DATA = "data"
    SETTINGS = "settings"
    LOG = "log"


@dataclass(frozen=True, kw_only=True)
class WaitingRows:
    """Rows of a study that wait for a person, and what is said after their number, or after a 1."""

    rows: Callable[[Study], QuerySet[Any]]
    words: str
    one: str

    def metric(self, count: int) -> Metric:
        return Metric(name=self.one if count == 1 else self.words, count=count)


@dataclass(frozen=True, kw_only=True)
class StudyPage:
    name: str
    tab: Tab
    permission: str
    address: Callable[[Study], str]
    # What is there, in a sentence.
    about: str
    # What the page would say of this study, in a few words; empty if nothing.
    note: Callable[[Study], str] | None = None
    # What waits there for a person. It is counted on the study's first page, too.
    waits: "WaitingRows | None" = None
    # True: the pages of the study's projects link there too.
    is_beside_projects: bool = False


@dataclass(frozen=True, kw_only=True)
class StudyLink:
    name: str
    address: str
    about: str = ""
    note: str = ""
    waits: Metric | None = None


_pages: list[StudyPage] = []


def announce(*pages: StudyPage) -> None:
    """Announce pages of a study, shown in this order. Called where they are registered with the admin."""
    _pages.extend(pages)


def pages_on(tab: Tab, *, study: Study, user: User) -> Iterator[StudyLink]:
    """Yield each page of the tab that this user may see."""
    for page in _pages:
        if page.tab == tab and user.has_perm(page.permission):
            yield _link(page, study=study, user=user)


def notes_on(study: Study, *, user: User) -> Iterator[StudyLink]:
    """Yield each page that has something to say of the study, for this user."""
    for page in _pages:
        if page.note and user.has_perm(page.permission) and (note := page.note(study)):
            yield StudyLink(name=page.name, address=page.address(study), note=note)


def waiting_in(study: Study, *, user: User) -> Iterator[StudyLink]:
    """Yield each page on which something waits for a person, for this user. One query counts all of it."""
    waits = {page.name: page.waits for page in _pages if page.waits and user.has_perm(page.permission)}
    counts = count_together(**{name: one.rows(study) for name, one in waits.items()}) if waits else {}
    for page in _pages:
        if count := counts.get(page.name):
            waiting = waits[page.name].metric(count)
            yield StudyLink(name=page.name, address=page.address(study), waits=waiting)


def has_pages(tab: Tab, *, user: User) -> bool:
    return any(page.tab == tab and user.has_perm(page.permission) for page in _pages)


def pages_beside_projects(study: Study, *, user: User) -> Iterator[StudyLink]:
    """Yield each page that projects of the study link to, for this user."""
    for page in _pages:
        if page.is_beside_projects and user.has_perm(page.permission):
            yield StudyLink(name=page.name, address=page.address(study))


def _link(page: StudyPage, *, study: Study, user: User) -> StudyLink:
    return StudyLink(
        name=page.name,
        address=page.address(study),
        about=page.about,
        note=page.note(study) if page.note else "",
        waits=page.waits.metric(page.waits.rows(study).count()) if page.waits else None,
    )
