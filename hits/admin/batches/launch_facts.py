"""What rooms above promise or ask on a batch's behalf, in words, for the page before its launch."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hits.identity.models.users import User
from hits.studies.models import Batch

_tellers: list["Teller"] = []


@dataclass(frozen=True, kw_only=True)
class LaunchFact:
    """What is so, in sentences, and the page where it is kept."""

    name: str
    sentences: Sequence[str]
    address: str
    # Whoever lacks it reads the words, and is led nowhere.
    permission: str
    # What is seldom meant: it stands first on the page, with the way to where it is mended.
    warnings: Sequence[str] = ()


class ShownFact(NamedTuple):
    name: str
    sentences: Sequence[str]
    address: str
    warnings: Sequence[str]


class LaunchWarning(NamedTuple):
    """What is allowed but seldom meant, and the page where it is mended."""

    words: str
    name: str = ""
    address: str = ""


Teller = Callable[[Batch], Iterable[LaunchFact]]


def announce(teller: Teller) -> None:
    """Announce who tells facts of a batch, shown in this order. Called where pages are registered."""
    _tellers.append(teller)


def facts_of(batch: Batch, *, user: User) -> list[ShownFact]:
    """Return every fact, with the address of its page if this user may open it."""
    facts = (fact for teller in _tellers for fact in teller(batch))
    return [
        ShownFact(
            name=fact.name,
            sentences=fact.sentences,
            address=fact.address if user.has_perm(fact.permission) else "",
            warnings=fact.warnings,
        )
        for fact in facts
    ]
