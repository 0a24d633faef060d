"""Step 1: which words a model ties to a noun, and how many of them are posted."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from crowd.winoventi.domain.prompts import PAIRS, Template

# Fewer points have no bend.
FEWEST_FOR_A_BEND = 3
# A point this little below the line is there by rounding alone.
STRAIGHT = 1e-9


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A generic that may be posted. Lower perplexity is better."""

    name: int
    k: int
    perplexity: float


def generics_of(readings: Mapping[Template, Sequence[str]], *, ks: Collection[int]) -> dict[str, int]:
    """Generics of a noun, each with the smallest k that finds it, in the order in which k finds them.

    `readings` holds the model's words for each template, the likeliest first. A template that was not read
    finds nothing.
    """
    found: dict[str, int] = {}
    for k in sorted(ks):
        for affirmative, negated in PAIRS:
            below = set(readings.get(negated, ())[:k])
            for word in readings.get(affirmative, ())[:k]:
                if word in below:
                    found.setdefault(word, k)
    return found


def bend_of(perplexities: Iterable[float]) -> float | None:
    """The perplexity at the bend of the rising curve; None where it has none.

    The values are put in order and scaled, so that the curve runs from (0, 0) to (1, 1). Its bend is the
    point that lies farthest below the straight line between these two: where the curve turns from flat to
    steep. Of equal distances the first counts.
    """
    values = sorted(perplexities)
    if len(values) < FEWEST_FOR_A_BEND or values[0] == values[-1]:
        return None
    last, rise = len(values) - 1, values[-1] - values[0]
    distances = [index / last - (value - values[0]) / rise for index, value in enumerate(values)]
    farthest = max(distances)
    return values[distances.index(farthest)] if farthest > STRAIGHT else None


def cuts_by_bend(candidates: Iterable[Candidate], *, ks: Collection[int]) -> dict[int, float]:
    """The cut of each k: generics below it are kept. A k without a bend is not cut."""
    rows = list(candidates)
    bends = {k: bend_of(row.perplexity for row in rows if row.k == k) for k in sorted(ks)}
    return {k: bend for k, bend in bends.items() if bend is not None}


def choose(
    candidates: Iterable[Candidate], *, cuts: Mapping[int, float], most: int | None = None
) -> list[Candidate]:
    """Candidates that are kept, the smallest k first, and within it by perplexity.

    Each is below the cut of its k. Where that leaves more than are to be posted, they are cut once more at
    the bend of all that are left.
    """
    kept = [row for row in candidates if row.k not in cuts or row.perplexity < cuts[row.k]]
    if most is not None and len(kept) > most:
        bend = bend_of(row.perplexity for row in kept)
        kept = [row for row in kept if bend is None or row.perplexity < bend]
    return sorted(kept, key=lambda row: (row.k, row.perplexity, row.name))
