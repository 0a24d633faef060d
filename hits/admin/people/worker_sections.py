"""Parts of a worker's page that other rooms keep: they announce them, and a tab of the page shows them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hits.identity.models.users import User
from hits.identity.models.workers import Worker

# Tabs that show what was announced for them.
STANDING, SCORES = "standing", "scores"
_sections: list["WorkerSection"] = []


@dataclass(frozen=True, kw_only=True)
class WorkerSection:
    """A part of a tab. `context` reads it, within what the user may see."""

    tab: str = STANDING
    template: str
    permissions: Sequence[str]
    context: Callable[[Worker, User], Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class ShownSection:
    template: str
    about: Mapping[str, Any]


def announce(*sections: WorkerSection) -> None:
    """Announce sections, shown in this order. Called where their pages are registered with the admin."""
    _sections.extend(sections)


def sections_for(worker: Worker, *, tab: str, user: User) -> Iterator[ShownSection]:
    """Yield each section of this tab that the user may see."""
    for section in _sections:
        if section.tab == tab and user.has_perms(section.permissions):
            yield ShownSection(template=section.template, about=section.context(worker, user))
