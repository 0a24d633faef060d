"""The values that a card of a project's page shows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hits.admin.actions import RowButton
from hits.identity.models.users import User


@dataclass(frozen=True, kw_only=True)
class Metric:
    name: str
    count: int
    # The number when all is done. None: unknown.
    of: int | None = None
    url: str = ""

    @property
    def is_complete(self) -> bool:
        return bool(self.of) and self.count >= (self.of or 0)


@dataclass(frozen=True, kw_only=True)
class Progress:
    """The progress of background work, shown as a bar."""

    name: str
    done: int
    of: int


@dataclass(frozen=True, kw_only=True)
class CardLink:
    """A link of a card. `is_first`: what most people should do now."""

    name: str
    url: str
    is_first: bool = False
    # A user without it is not offered the link; the page behind it checks again.
    permission: str = ""


@dataclass(frozen=True, kw_only=True)
class Card:
    """One part of a project's page. `tasks`: their batches are below it, with a way to launch.

    `groups`: metrics under a heading each. `offered`: actions, for users who may do them.
    `stage`: what has come of this part, for the line of stages; None where it is no stage of the work.
    """

    key: str
    title: str
    about: str
    metrics: Sequence[Metric] = ()
    groups: Mapping[str, Sequence[Metric]] = field(default_factory=dict)
    progress: Sequence[Progress] = ()
    note: str = ""
    offered: Sequence[RowButton] = ()
    links: Sequence[CardLink] = ()
    next: str = ""
    problems: Sequence[str] = ()
    tasks: Sequence[str] = ()
    stage: Metric | None = None
    # True: it leads to what was collected, and a study's page of data shows it.
    is_data: bool = False
    # A user without it does not see the card, and cannot launch its tasks from the project's page.
    permission: str = ""

    @property
    def has_first(self) -> bool:
        return any(one.is_first for one in self.offered) or any(link.is_first for link in self.links)


CardOf = Callable[[Any, User], Card]


def shown_to(user: User, cards: Iterable[Card]) -> list[Card]:
    """The cards that this user may see, each with the links that they may follow."""
    return [
        replace(card, links=[link for link in card.links if _may_see(user, link)])
        for card in cards
        if _may_see(user, card)
    ]


def _may_see(user: User, part: Card | CardLink) -> bool:
    return not part.permission or user.has_perm(part.permission)
