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


def announce(*pages: StudyPage) -> None:
    """Announce pages of a study, shown in this order. Called where they are registered with the admin."""
    _pages.extend(pages)


def pages_of(study: Study, *, user: User) -> Iterator[tuple[str, str]]:
    """Yield each page that this user may see."""
    for page in _pages:
        if user.has_perm(page.permission):
            yield page.name, page.address(study)
