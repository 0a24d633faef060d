"""Accuracy of models on the challenge set, likeness of two models' associations, and splits for training."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import TypeVar

from crowd.winoventi.domain import EXCEPTION, GENERIC, KINDS

# The prompt without a premise: whether the model favors the generic at all, as the filter asks.
ALONE = "alone"
ASKED = (*KINDS, ALONE)

Pair = TypeVar("Pair", bound=Hashable)
Noun = TypeVar("Noun", bound=Hashable)
# Whether the model was right, by kind of prompt.
Answers = Mapping[str, bool]


@dataclass(frozen=True, kw_only=True)
class Share:
    """A number of right answers out of all answers."""

    right: int
    all: int

    @property
    def value(self) -> Fraction | None:
        return Fraction(self.right, self.all) if self.all else None


@dataclass(frozen=True, kw_only=True)
class Split:
    """Prompts as (pair, kind): those to train on, and those of each test."""

    train: Sequence[tuple[str, str]]
    tests: Mapping[str, Sequence[tuple[str, str]]]


def is_right(*, target: float, incorrect: float) -> bool:
    """Whether the target is strictly likelier: a tie is wrong."""
    return target > incorrect


def favored(answers: Mapping[Pair, Answers]) -> set[Pair]:
    """The Individual subset: pairs whose generic the model favors where there is no premise."""
    return {pair for pair, of_pair in answers.items() if of_pair.get(ALONE, False)}


def intersection(models: Iterable[Mapping[Pair, Answers]]) -> set[Pair]:
    """The Intersection subset: pairs whose generic every one of these models favors; empty without models."""
    sets = [favored(answers) for answers in models]
    return set.intersection(*sets) if sets else set()


def accuracy(answers: Mapping[Pair, Answers], *, pairs: Collection[Pair]) -> dict[str, Share]:
    """Shares of right answers by kind of prompt, over what was answered of these pairs."""
    chosen = [answers[pair] for pair in pairs if pair in answers]
    found = {}
    for kind in KINDS:
        given = [one[kind] for one in chosen if kind in one]
        found[kind] = Share(right=sum(given), all=len(given))
    return found


def jaccard(
    one: Mapping[Noun, AbstractSet[str]], other: Mapping[Noun, AbstractSet[str]], *, with_empty: bool
) -> Fraction | None:
    """Mean Jaccard index of two models' associations, over the nouns that both were asked about.

    Where both find nothing, the index is 1 or the noun is left out. None: no noun is left.
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
    """Train on both prompts of half of the pairs; test on both prompts of the others."""
    shuffled = _shuffled(pairs, seed=f"half {seed}")
    middle = len(shuffled) // 2
    return Split(train=_prompts(shuffled[:middle]), tests={"unseen": _prompts(shuffled[middle:])})


def split_full(pairs: Collection[str], *, seed: int) -> Split:
    """Train on four fifths of the exceptions; test on the other fifth, on all generics, and on a mix of both.

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
    """Shuffle by digests, so that the order is the same on every machine and in every version of Python."""
    return sorted(pairs, key=lambda pair: (sha256(f"{seed} {pair}".encode()).digest(), pair))


def _prompts(pairs: Sequence[str], *kinds: str) -> list[tuple[str, str]]:
    return [(pair, kind) for pair in pairs for kind in kinds or KINDS]
