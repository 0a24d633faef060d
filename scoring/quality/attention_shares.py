"""How surprising it is that a worker misses so many attention items, beside the middle of the crowd."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, lgamma

from scoring.quality.surprises import of_chance

# People's shares of right answers differ as much as if each had been drawn with so many answers.
ALIKE = 30.0
# Anybody may miss so many.
OFTEN_MISSED = 0.02
# Halvings of the interval in which the middle of the crowd lies.
STEPS = 20


@dataclass(frozen=True, kw_only=True)
class Attention:
    """One worker's answers to attention items: how many, and how many of them say what is known."""

    met: int
    right: int


def middle_share(crowd: Iterable[Attention]) -> float:
    """Return the share of right answers of which as many people are above as below, by what each has met.

    Those who guess move it less than a mean.
    """
    counted = Counter((one.met, one.right) for one in crowd if one.met)
    low, high = 0.0, 1 - OFTEN_MISSED
    for _ in range(STEPS):
        middle = (low + high) / 2
        below = sum(many * _place(met, right, middle) for (met, right), many in counted.items())
        low, high = (middle, high) if below > counted.total() / 2 else (low, middle)
    return high


def attention_surprise(one: Attention, *, middle: float) -> float:
    """Return how surprising so few right answers are of somebody of this crowd."""
    return of_chance(_at_most(one.right, one.met, middle))


def _place(met: int, right: int, share: float) -> float:
    """Return where this worker stands among people of this share, from 0 to 1; equal ones count half."""
    return (_at_most(right, met, share) + _at_most(right - 1, met, share)) / 2


def _at_most(right: int, met: int, share: float) -> float:
    """Return the probability of so few right answers, where people differ as much as they do."""
    return sum(_exactly(number, met, share) for number in range(right + 1))


def _exactly(right: int, met: int, share: float) -> float:
    """Return a probability of the beta-binomial distribution of this mean."""
    yes, no = share * ALIKE, (1 - share) * ALIKE
    ways = lgamma(met + 1) - lgamma(right + 1) - lgamma(met - right + 1)
    return exp(ways + _log_beta(right + yes, met - right + no) - _log_beta(yes, no))


def _log_beta(one: float, other: float) -> float:
    return lgamma(one) + lgamma(other) - lgamma(one + other)
