"""The rules of the papers' scores. Exact: integers and fractions, never floats."""

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction


def jaccard(left: AbstractSet[str], right: AbstractSet[str]) -> Fraction:
    """Jaccard index: the size of the intersection over that of the union. Two empty sets agree."""
    union = left | right
    return Fraction(len(left & right), len(union)) if union else Fraction(1)


def model_score(*, chosen: AbstractSet[str], predicted: AbstractSet[str]) -> int:
    """The model's Jaccard index in whole percent, rounded down as the game has always done."""
    return int(100 * jaccard(chosen, predicted))


def fool_the_ai(*, chosen: AbstractSet[str], predicted: AbstractSet[str]) -> int:
    return 100 - model_score(chosen=chosen, predicted=predicted)


def mean(values: Collection[Fraction]) -> Fraction:
    if not values:
        raise ValueError("There is no mean of nothing.")
    return sum(values, Fraction(0)) / len(values)


def ranked(scores: Sequence[float]) -> list[int]:
    """Places from the highest score to the lowest; ties go to the one shown first."""
    return sorted(range(len(scores)), key=lambda place: (-scores[place], place))


def best(scores: Sequence[float], *, k: int) -> list[int]:
    """Places of the k highest scores, in the order shown. Raises ValueError if k is not possible."""
    if not 0 < k <= len(scores):
        raise ValueError(f"k must be from 1 to {len(scores)}; it is {k}.")
    return sorted(ranked(scores)[:k])
