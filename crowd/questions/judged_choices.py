"""What an answered question chooses, and how much there is to read in it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.functional import Promise


class Choice(NamedTuple):
    """One choice of one answer; `place` counts from 0, where each worker sees another order."""

    question: str
    label: str
    about: str = ""
    place: int | None = None


def words_to_read(shown: Any) -> int:
    """Count the different words in the texts that a question shows: the least that one has to read.

    A text is what has a space: a single word is read at a glance, and an address is not read at all.
    """
    return len(_words_in(shown))


def place_of(value: str, options: Sequence[Mapping[str, Any]]) -> int | None:
    """Return where the option of this value stands among those shown."""
    return next((place for place, option in enumerate(options) if option["value"] == value), None)


def _words_in(shown: Any) -> set[str]:
    match shown:
        case str() | Promise():
            words = str(shown).casefold().split()
            return set(words) if len(words) > 1 else set()
        case Mapping():
            return _words_in(list(shown.values()))
        case list() | tuple():
            return set().union(*map(_words_in, shown))
        case _:
            return set()
