"""How far two results differ on the items that both answered, with an interval by a paired bootstrap."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from crowd.benchmarks.models import Result

SAMPLES = 2_000
# Samples drawn at once, so that memory stays small with many items.
AT_ONCE = 50
SEED = 20_260_101
ENDS = (2.5, 97.5)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The mean of one minus that of the other, and the 95 % interval of it."""

    items: int
    mean: float
    low: float
    high: float

    @property
    def points(self) -> str:
        return f"{100 * self.mean:+.1f}"

    @property
    def low_points(self) -> str:
        return f"{100 * self.low:+.1f}"

    @property
    def high_points(self) -> str:
        return f"{100 * self.high:+.1f}"

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


def difference_of(one: Result, other: Result, *, measure: str) -> Difference | None:
    """Return the difference, the same each time it is asked for; None if they share no item."""
    import numpy as np  # noqa: PLC0415 - slow to load, and most pages compare nothing

    ours, theirs = _scores(one, measure), _scores(other, measure)
    shared = sorted(ours.keys() & theirs.keys())
    if not shared:
        return None
    gaps = np.array([ours[item] - theirs[item] for item in shared])
    means = _resampled_means(gaps)
    low, high = np.percentile(means, ENDS)
    return Difference(items=len(shared), mean=float(gaps.mean()), low=float(low), high=float(high))


def _scores(result: Result, measure: str) -> dict[str, float]:
    rows = result.items.values_list("item", "scores").iterator(chunk_size=2_000)
    return {item: float(Fraction(scores[measure])) for item, scores in rows if measure in scores}


def _resampled_means(gaps: Any) -> Any:
    import numpy as np  # noqa: PLC0415 - as above

    chance = np.random.default_rng(SEED)
    drawn = (chance.integers(len(gaps), size=(AT_ONCE, len(gaps))) for _ in range(SAMPLES // AT_ONCE))
    return np.concatenate([gaps[places].mean(axis=1) for places in drawn])
