"""Whether two captions are made of the same words, and which parts change places between them.

A word is a run of letters, marks and digits. Case does not count, and neither do punctuation, hyphens and
the way a character is encoded: "Fire-truck!" is "fire truck". Three signs belong to their word while they
stand inside it: an apostrophe, so that "dog's" is neither "dogs" nor "dog", and a point or a comma between
digits. A symbol such as + or a heart is a word of its own.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from unicodedata import category, normalize

APOSTROPHES = "'’‘ʼ＇"
IN_NUMBERS = ".,"
# Joiners and modifiers, such as those that color a sign, mean nothing here.
IGNORED = ("Cf", "Sk")
LAST_SELECTOR, FIRST_SELECTOR = "\ufe0f", "\ufe00"


@dataclass(frozen=True, kw_only=True)
class Word:
    """A word of a caption. `same`: equal for words that count as one. `start`: its place in the caption."""

    same: str
    start: int


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Words that one of two captions lacks, as often as it lacks them."""

    only_first: Sequence[str]
    only_second: Sequence[str]

    def __bool__(self) -> bool:
        return bool(self.only_first or self.only_second)


class Kind(StrEnum):
    STAYS = "stays"
    MOVES = "moves"
    ONLY_HERE = "only_here"


@dataclass(frozen=True, kw_only=True)
class Part:
    """Adjacent words of one caption. Parts with the same `number` in both captions change places."""

    text: str
    kind: Kind
    number: int | None = None


@dataclass(frozen=True, kw_only=True)
class Swap:
    first: Sequence[Part]
    second: Sequence[Part]

    @property
    def moved(self) -> Sequence[str]:
        """The parts that change places, in the words of the first caption."""
        return [part.text for part in self.first if part.kind == Kind.MOVES]


def words_of(caption: str) -> list[Word]:
    return [Word(same=_fold(caption[start:end]), start=start) for start, end in _places(caption)]


def differing_words(first: str, second: str) -> Difference:
    """The words that differ; empty where both captions have the same words equally often."""
    counts = [Counter(word.same for word in words_of(caption)) for caption in (first, second)]
    return Difference(
        only_first=sorted((counts[0] - counts[1]).elements()),
        only_second=sorted((counts[1] - counts[0]).elements()),
    )


def are_same(first: str, second: str) -> bool:
    """Whether both captions have the same words in the same order."""
    return _same(words_of(first)) == _same(words_of(second))


def swap(first: str, second: str) -> Swap:
    """The two parts that change places, if nothing else happens; otherwise the words that move."""
    words = words_of(first), words_of(second)
    sames = _same(words[0]), _same(words[1])
    marks = _exchange(*sames) or _moves(*sames)
    return Swap(first=_parts(first, words[0], marks[0]), second=_parts(second, words[1], marks[1]))


Mark = tuple[Kind, int | None]
Marks = tuple[list[Mark], list[Mark]]
STAYS: Mark = (Kind.STAYS, None)


def _places(caption: str) -> Iterator[tuple[int, int]]:
    start: int | None = None
    for at, sign in enumerate(caption):
        if _is_of_word(sign) or (start is not None and _joins(caption, at)):
            start = at if start is None else start
            continue
        if start is not None and not _is_ignored(sign):
            yield start, at
            start = None
        if category(sign).startswith("S") and not _is_ignored(sign):
            yield at, at + 1
    if start is not None:
        yield start, len(caption)


def _is_of_word(sign: str) -> bool:
    return category(sign)[0] in "LMN" and not _is_ignored(sign)


def _is_ignored(sign: str) -> bool:
    return category(sign) in IGNORED or FIRST_SELECTOR <= sign <= LAST_SELECTOR


def _joins(caption: str, at: int) -> bool:
    """Whether this sign stands inside a word: between two of its letters, or two of its digits."""
    if at + 1 == len(caption):
        return False
    around = caption[at - 1] + caption[at + 1]
    if caption[at] in APOSTROPHES:
        return all(_is_of_word(sign) for sign in around)
    return caption[at] in IN_NUMBERS and around.isdigit()


def _fold(word: str) -> str:
    plain = "".join("'" if sign in APOSTROPHES else sign for sign in word if not _is_ignored(sign))
    return normalize("NFKC", normalize("NFKC", plain).casefold())


def _same(words: Sequence[Word]) -> list[str]:
    return [word.same for word in words]


def _exchange(first: Sequence[str], second: Sequence[str]) -> Marks | None:
    """Marks of one pair of parts, with as much staying as possible: a [1] b [2] c becomes a [2] b [1] c."""
    if len(first) != len(second) or first == second:
        return None
    end = len(first)
    head = next(at for at in range(end) if first[at] != second[at])
    tail = next(at for at in range(end) if first[end - 1 - at] != second[end - 1 - at])
    old, new = first[head : end - tail], second[head : end - tail]
    found = _shortest_exchange(old, new)
    if found is None:
        return None
    one, two = found
    rest = len(old) - one - two
    left, right = [(Kind.MOVES, 1)] * one, [(Kind.MOVES, 2)] * two
    around = [STAYS] * head, [STAYS] * tail
    return (
        [*around[0], *left, *[STAYS] * rest, *right, *around[1]],
        [*around[0], *right, *[STAYS] * rest, *left, *around[1]],
    )


def _shortest_exchange(old: Sequence[str], new: Sequence[str]) -> tuple[int, int] | None:
    """The lengths of two parts at the ends of `old` that change places in `new`, as short as possible."""
    size = len(old)
    for moved in range(2, size + 1):
        for one in range(1, moved):
            two = moved - one
            middle = old[one : size - two]
            if new == [*old[size - two :], *middle, *old[:one]]:
                return one, two
    return None


def _moves(first: Sequence[str], second: Sequence[str]) -> Marks:
    """Marks of words outside the longest common subsequence: they move, or are in one caption only.

    Words that keep their very places are the better row, if they are as many.
    """
    in_place = [(at, at) for at, (one, other) in enumerate(zip(first, second, strict=False)) if one == other]
    staying = max(in_place, _common(first, second), key=len)
    stays = {at for at, _ in staying}, {at for _, at in staying}
    lacking = Counter(first) - Counter(second), Counter(second) - Counter(first)
    return _mark(first, stays[0], lacking[0]), _mark(second, stays[1], lacking[1])


def _mark(words: Sequence[str], stays: set[int], lacking: Counter[str]) -> list[Mark]:
    marks: list[Mark] = []
    for at, word in enumerate(words):
        if at in stays:
            marks.append(STAYS)
        elif lacking[word]:
            lacking[word] -= 1
            marks.append((Kind.ONLY_HERE, None))
        else:
            marks.append((Kind.MOVES, None))
    return marks


def _common(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """The longest common subsequence, as places in both."""
    longest = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in reversed(range(len(first))):
        for j in reversed(range(len(second))):
            longest[i][j] = (
                longest[i + 1][j + 1] + 1
                if first[i] == second[j]
                else max(longest[i + 1][j], longest[i][j + 1])
            )
    found, i, j = [], 0, 0
    while i < len(first) and j < len(second):
        if first[i] == second[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def _parts(caption: str, words: Sequence[Word], marks: Sequence[Mark]) -> list[Part]:
    """Parts with their text: each word takes the signs behind it, and the first one also those before it."""
    if not words:
        return []
    starts = [0, *(word.start for word in words[1:])]
    ends = [*starts[1:], len(caption)]
    marked = zip(marks, starts, ends, strict=True)
    parts = []
    for (kind, number), run in groupby(marked, key=lambda one: one[0]):
        places = list(run)
        text = caption[places[0][1] : places[-1][2]].strip()
        parts.append(Part(text=text, kind=kind, number=number))
    return parts
