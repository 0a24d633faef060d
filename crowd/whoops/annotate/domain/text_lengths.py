"""How long texts are, and how many different words they have."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from statistics import median

from crowd.whoops.annotate.domain.annotation_texts import words_of


@dataclass(frozen=True, kw_only=True)
class Lengths:
    """Lengths of texts, in words. `unique`: different texts; `vocabulary`: different words in all of them."""

    texts: int
    unique: int
    mean: Fraction | None
    middle: float | None
    shortest: int
    longest: int
    vocabulary: int


def lengths_of(texts: Iterable[str]) -> Lengths:
    counts: list[int] = []
    vocabulary: set[str] = set()
    different: set[str] = set()
    for text in texts:
        words = words_of(text)
        counts.append(len(words))
        vocabulary.update(words)
        different.add(" ".join(words))
    return Lengths(
        texts=len(counts),
        unique=len(different),
        mean=Fraction(sum(counts), len(counts)) if counts else None,
        middle=float(median(counts)) if counts else None,
        shortest=min(counts, default=0),
        longest=max(counts, default=0),
        vocabulary=len(vocabulary),
    )
