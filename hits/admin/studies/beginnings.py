"""Ways to begin a study: rules and settings that rooms above put in place as soon as it is made."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from hits.identity.models.users import User
from hits.studies.models import Study

Begin = Callable[[Study, User, datetime], Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """One way to begin. `begin` says what it has put in place, and raises RuleBroken if it is refused."""

    key: str
    name: str
    begin: Begin


_offers: list[Callable[[], Iterable[Beginning]]] = []


def register(offer: Callable[[], Iterable[Beginning]]) -> None:
    """Register ways to begin. They are asked for on each page: families may not all be known yet."""
    _offers.append(offer)


def offered() -> dict[str, Beginning]:
    """Return the ways to begin by their keys, in their order."""
    return {one.key: one for offer in _offers for one in offer()}
