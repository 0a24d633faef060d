"""Lines of one message: news of one kind and one study are told in one line where they are many."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# More than these of one kind and study become one line.
MOST_OF_A_KIND = 2


@dataclass(frozen=True, kw_only=True)
class News:
    """One thing to tell. `group_words` say what many of its kind are, and `group_url` shows them all."""

    words: str
    url: str
    group: tuple[str, int | None]
    group_words: str
    group_url: str


@dataclass(frozen=True, kw_only=True)
class Line:
    words: str
    url: str


def lines_of(news: Iterable[News]) -> list[Line]:
    """Return the lines in the order in which the first of each was told."""
    groups: dict[tuple[str, int | None], list[News]] = {}
    for one in news:
        groups.setdefault(one.group, []).append(one)
    return [line for group in groups.values() for line in _lines_of_group(group)]


def _lines_of_group(group: list[News]) -> Iterator[Line]:
    if len(group) > MOST_OF_A_KIND:
        first = group[0]
        yield Line(words=f"{len(group)} times: {first.group_words}", url=first.group_url)
    else:
        yield from (Line(words=one.words, url=one.url) for one in group)
