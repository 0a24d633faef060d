"""Pages about one study that other rooms keep: they announce them, and the study's own page leads there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hits.identity.models.users import User
from hits.studies.models import Study

_pages: list["StudyPage"] = []


@dataclass(frozen=True, kw_only=True)
class StudyPage:
    name: str
    permission: str
    address: Callable[[Study], str]


def announce(*pages: StudyPage) -> None:
    """Called where the pages are registered with the admin. They are shown in this order."""
    _pages.extend(pages)


def pages_of(study: Study, *, user: User) -> Iterator[tuple[str, str]]:
    """Name and address of each page that this person may see."""
    for page in _pages:
        if user.has_perm(page.permission):
            yield page.name, page.address(study)
