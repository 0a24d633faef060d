"""What a panel of a project's page shows, in values."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hits.admin.actions import Offered
from hits.identity.models.users import User


@dataclass(frozen=True, kw_only=True)
class Figure:
    name: str
    count: int
    # How many it is when all is done. None: nobody knows.
    of: int | None = None
    url: str = ""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Of what goes on by itself: shown as a bar."""

    name: str
    done: int
    of: int


@dataclass(frozen=True, kw_only=True)
class Way:
    """A link of a panel. `is_first`: what most people should do now."""

    name: str
    url: str
    is_first: bool = False
    # Without it the link is not offered; the page behind it asks for it again.
    permission: str = ""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """`tasks`: their batches stand below it, with what is asked and the way to a launch.

    `groups`: figures under a heading each. `offered`: its actions, for who may do them.
    """

    key: str
    title: str
    about: str
    figures: Sequence[Figure] = ()
    groups: Mapping[str, Sequence[Figure]] = field(default_factory=dict)
    progress: Sequence[Progress] = ()
    note: str = ""
    offered: Sequence[Offered] = ()
    ways: Sequence[Way] = ()
    next: str = ""
    problems: Sequence[str] = ()
    tasks: Sequence[str] = ()
    # Without it the panel is not shown, and its tasks cannot be launched from the project's page.
    permission: str = ""

    @property
    def has_first(self) -> bool:
        return any(one.is_first for one in self.offered) or any(way.is_first for way in self.ways)


PanelOf = Callable[[Any, User], Panel]


def shown_to(user: User, panels: Iterable[Panel]) -> list[Panel]:
    """The panels that this person may see, each with the links that they may follow."""
    return [
        replace(panel, ways=[way for way in panel.ways if _may_see(user, way)])
        for panel in panels
        if _may_see(user, panel)
    ]


def _may_see(user: User, part: Panel | Way) -> bool:
    return not part.permission or user.has_perm(part.permission)
