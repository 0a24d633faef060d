"""Sections of a worker's page that other rooms keep: they announce them, and the page shows them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hits.identity.models.users import User
from hits.identity.models.workers import Worker

_sections: list["WorkerSection"] = []


@dataclass(frozen=True, kw_only=True)
class WorkerSection:
    """A part of the tab about a worker's standing. `context` reads it, within what the user may see."""

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


def sections_for(worker: Worker, *, user: User) -> Iterator[ShownSection]:
    """Yield each section that this user may see."""
    for section in _sections:
        if user.has_perms(section.permissions):
            yield ShownSection(template=section.template, about=section.context(worker, user))
