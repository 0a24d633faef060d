"""How a model does on the challenge set, how alike two models' associations are, and what is trained on."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import TypeVar

from crowd.winoventi.domain import EXCEPTION, GENERIC, KINDS

# The outcome without any premise: whether the model favors the generic at all, as the filter asks.
ALONE = "alone"
ASKED = (*KINDS, ALONE)

Pair = TypeVar("Pair", bound=Hashable)
Noun = TypeVar("Noun", bound=Hashable)
# By kind of prompt: whether the model was right.
Answers = Mapping[str, bool]


@dataclass(frozen=True, kw_only=True)
class Share:
    """So many of so many."""

    right: int
    all: int

    @property
    def value(self) -> Fraction | None:
        return Fraction(self.right, self.all) if self.all else None


@dataclass(frozen=True, kw_only=True)
class Split:
    """Prompts as (pair, kind): what is trained on, and what it is tried on."""

    train: Sequence[tuple[str, str]]
    tests: Mapping[str, Sequence[tuple[str, str]]]


def is_right(*, target: float, incorrect: float) -> bool:
    """Strictly: a tie is wrong."""
    return target > incorrect


def favored(answers: Mapping[Pair, Answers]) -> set[Pair]:
    """Individual: the pairs whose generic the model favors where there is no premise."""
    return {pair for pair, of_pair in answers.items() if of_pair.get(ALONE, False)}


def intersection(models: Iterable[Mapping[Pair, Answers]]) -> set[Pair]:
    """The pairs whose generic every one of these models favors; of no models, none."""
    sets = [favored(answers) for answers in models]
    return set.intersection(*sets) if sets else set()


def accuracy(answers: Mapping[Pair, Answers], *, pairs: Collection[Pair]) -> dict[str, Share]:
    """By kind of prompt, over what was answered of these pairs."""
    chosen = [answers[pair] for pair in pairs if pair in answers]
    found = {}
    for kind in KINDS:
        given = [one[kind] for one in chosen if kind in one]
        found[kind] = Share(right=sum(given), all=len(given))
    return found


def jaccard(
    one: Mapping[Noun, AbstractSet[str]], other: Mapping[Noun, AbstractSet[str]], *, with_empty: bool
) -> Fraction | None:
    """The mean over the nouns that both were asked about of what two models share of their associations.

    Where both find nothing they are all alike, or the noun is left out. None: no noun is left.
    """
    shares = [
        Fraction(len(one[noun] & other[noun]), len(one[noun] | other[noun]))
        if one[noun] | other[noun]
        else Fraction(1)
        for noun in one
        if noun in other and (with_empty or one[noun] | other[noun])
    ]
    return sum(shares, Fraction()) / len(shares) if shares else None


def split_half(pairs: Collection[str], *, seed: int) -> Split:
    """Half of the pairs, both prompts of each; tried on both prompts of the others."""
    shuffled = _shuffled(pairs, seed=f"half {seed}")
    middle = len(shuffled) // 2
    return Split(train=_prompts(shuffled[:middle]), tests={"unseen": _prompts(shuffled[middle:])})


def split_full(pairs: Collection[str], *, seed: int) -> Split:
    """PairScores fifths of the exceptions; tried on the other fifth, on all generics, and on both kinds mixed.

    The mixed test has the held out exceptions and the generics of the same pairs.
    """
    shuffled = _shuffled(pairs, seed=f"full {seed}")
    fifth = len(shuffled) // 5
    held_out, seen = shuffled[:fifth], shuffled[fifth:]
    return Split(
        train=_prompts(seen, EXCEPTION),
        tests={
            "unseen exceptions": _prompts(held_out, EXCEPTION),
            "generics": _prompts(sorted(pairs), GENERIC),
            "mixed": _prompts(held_out),
        },
    )


def _shuffled(pairs: Collection[str], *, seed: str) -> list[str]:
    """By digests, so that it is the same on every machine and in every version of the language."""
    return sorted(pairs, key=lambda pair: (sha256(f"{seed} {pair}".encode()).digest(), pair))


def _prompts(pairs: Sequence[str], *kinds: str) -> list[tuple[str, str]]:
    return [(pair, kind) for pair in pairs for kind in kinds or KINDS]
