"""Pages about one study that other rooms keep: they announce them, and the study's own page links there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from hits.identity.models.users import User
from hits.studies.models import Study

_pages: list["StudyPage"] = []


@dataclass(frozen=True, kw_only=True)
class StudyPage:
    name: str
    permission: str
    address: Callable[[Study], str]
    # What the page would say of this study, in a few words; empty if nothing.
    note: Callable[[Study], str] | None = None
    # True: the pages of the study's projects link there too.
    is_beside_projects: bool = False


class StudyLink(NamedTuple):
    name: str
    address: str
    note: str = ""


def announce(*pages: StudyPage) -> None:
    """Announce pages of a study, shown in this order. Called where they are registered with the admin."""
    _pages.extend(pages)


def pages_of(study: Study, *, user: User) -> Iterator[StudyLink]:
    """Yield each page that this user may see."""
    for page in _pages:
        if user.has_perm(page.permission):
            note = page.note(study) if page.note else ""
            yield StudyLink(page.name, page.address(study), note)


def pages_beside_projects(study: Study, *, user: User) -> Iterator[StudyLink]:
    """Yield each page that projects of the study link to, for this user."""
    for page in _pages:
        if page.is_beside_projects and user.has_perm(page.permission):
            yield StudyLink(page.name, page.address(study))
