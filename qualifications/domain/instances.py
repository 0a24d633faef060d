"""Multiple-choice instances, drawn from a graph of associations.

Everything is drawn in the order of a seeded generator from lists sorted by text, so that the same seed
gives the same instances wherever the graph is kept.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

SIZES = (5, 6, 10, 12)
FEWEST_CHOSEN, MOST_CHOSEN = 2, 4
FEWEST_DISTRACTORS = 2
# At most as many pictures of a spymaster's set are linked as one cue may choose.
MOST_LINKED = 5
# A word that the game accepts as a cue.
PLAYABLE = re.compile(r"[^\W\d_]{2,30}")
ENDINGS = ("ness", "ing", "ies", "ers", "ed", "er", "es", "ly", "s", "y", "e")
SHORTEST_STEM = 3
SHORTEST_PART = 4


@dataclass(frozen=True, kw_only=True)
class Instance:
    """A cue, its candidates, and those of them that people associate with it, both in the order shown."""

    cue: str
    candidates: tuple[str, ...]
    chosen: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RelatedSet:
    """Concepts to be shown together, and the word through which some of them are linked."""

    concepts: tuple[str, ...]
    linked: tuple[str, ...]
    through: str


def allowed_chosen(size: int) -> range:
    """How many of the candidates may be associations; at least two are distractors.

    Raises ValueError for a size that is not offered.
    """
    if size not in SIZES:
        raise ValueError(f"An instance has {', '.join(map(str, SIZES))} candidates, not {size}.")
    return range(FEWEST_CHOSEN, min(MOST_CHOSEN, size - FEWEST_DISTRACTORS) + 1)


def is_playable(cue: str) -> bool:
    return PLAYABLE.fullmatch(cue) is not None


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The word without its commonest endings. Crude: it may exclude too much, never too little."""
    word = word.removesuffix("'s").removesuffix("’s")
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > SHORTEST_STEM and word[-1] == word[-2] else word


def shares_stem(one: str, other: str) -> bool:
    """Whether a word of one text gives away a word of the other: the same stem, or a part of a compound."""
    return any(_is_part(left, right) for left in one.split() for right in other.split())


def pick_distinct(
    texts: Iterable[str], *, wanted: int, cue: str, beside: Sequence[str] = ()
) -> tuple[str, ...]:
    """The first texts, up to `wanted`, that neither the cue, nor one another, nor `beside` give away."""
    picked: list[str] = []
    for text in texts:
        if not any(shares_stem(text, taken) for taken in (cue, *beside, *picked)):
            picked.append(text)
            if len(picked) == wanted:
                break
    return tuple(picked)


def draw_instance(
    *, cue: str, chosen: Sequence[str], related: Collection[str], pool: Sequence[str], size: int, rng: Random
) -> Instance | None:
    """Draw an instance whose distractors have no edge to the cue; None if the pool has too few of them."""
    unrelated = (text for text in shuffled(pool, rng=rng) if text not in related)
    distractors = pick_distinct(unrelated, wanted=size - len(chosen), cue=cue, beside=chosen)
    if len(distractors) < size - len(chosen):
        return None
    candidates = tuple(rng.sample((*chosen, *distractors), size))
    return Instance(
        cue=cue, candidates=candidates, chosen=tuple(text for text in candidates if text in chosen)
    )


def draw_related(
    *,
    through: str,
    linked: Collection[str],
    related: Collection[str],
    pool: Sequence[str],
    size: int,
    rng: Random,
) -> RelatedSet | None:
    """Draw a set of some linked concepts beside unrelated ones; None if there are too few of either."""
    most = min(MOST_LINKED, size - FEWEST_DISTRACTORS)
    together = pick_distinct(
        (text for text in shuffled(pool, rng=rng) if text in linked),
        wanted=rng.randint(FEWEST_CHOSEN, most),
        cue=through,
    )
    if len(together) < FEWEST_CHOSEN:
        return None
    drawn = draw_instance(cue=through, chosen=together, related=related, pool=pool, size=size, rng=rng)
    if drawn is None:
        return None
    return RelatedSet(concepts=drawn.candidates, linked=drawn.chosen, through=through)


def shuffled(texts: Sequence[str], *, rng: Random) -> Iterator[str]:
    """Yield the texts in random order, one at a time: a caller that needs a few does not pay for all."""
    left = list(texts)
    while left:
        place = rng.randrange(len(left))
        left[place], left[-1] = left[-1], left[place]
        yield left.pop()


def _is_part(one: str, other: str) -> bool:
    if stem(one) == stem(other):
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= SHORTEST_PART and (long.startswith(short) or long.endswith(short))
