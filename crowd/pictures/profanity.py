"""Words that are too coarse for a concept or a cue. The list is our own; a researcher may disagree."""

from functools import cache
from pathlib import Path

from crowd.pictures.domain import words_of

# Words with an innocent everyday meaning (a donkey, a rooster) are left out: people decide on those.
LIST = Path(__file__).with_name("profane.txt")


def is_profane(text: str) -> bool:
    """Whether one of the words in this text, or the singular of one, is in the list."""
    return any(_is_listed(word) for word in words_of(text))


def _is_listed(word: str) -> bool:
    listed = listed_words()
    return word in listed or any(
        word.endswith(ending) and word.removesuffix(ending) in listed for ending in ("s", "es")
    )


@cache
def listed_words() -> frozenset[str]:
    lines = (line.strip() for line in LIST.read_text(encoding="utf-8").splitlines())
    return frozenset(line.casefold() for line in lines if line and not line.startswith("#"))
