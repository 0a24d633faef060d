"""What waits for a person: counted where it belongs, and shown together on the home page."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from hits.identity.models.users import User


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """Things that wait. `words` follow the count, and `one` a count of 1.

    `is_trouble`: something has gone wrong, and comes first. `note`: a sentence below it.
    """

    count: int
    words: str
    one: str
    url: str
    is_trouble: bool = False
    note: str = ""

    @property
    def said(self) -> str:
        return self.one if self.count == 1 else self.words


Find = Callable[[User, datetime], Iterable[Waiting]]
_finders: list[tuple[tuple[str, ...], Find]] = []


def register(find: Find, *, permissions: Sequence[str]) -> None:
    """Register what may wait for users who have one of the permissions."""
    _finders.append((tuple(permissions), find))


def waiting_for(user: User, *, now: datetime) -> list[Waiting]:
    """Return everything that waits for this user, trouble first."""
    found = [
        one
        for permissions, find in _finders
        if any(user.has_perm(permission) for permission in permissions)
        for one in find(user, now)
        if one.count
    ]
    return sorted(found, key=lambda one: not one.is_trouble)
