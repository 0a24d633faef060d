"""Charts as plain SVG: lines, shapes and direct labels, so that no color carries a meaning."""

from dataclasses import dataclass

from crowd.winoventi.queries.models import Curve

# Within a picture of 400 by 240, as the template says.
LEFT, RIGHT, TOP, BOTTOM = 56, 388, 24, 200
MOST_POINTS = 160


@dataclass(frozen=True, kw_only=True)
class CurveChart:
    """The perplexities of one k from left to right, the lowest first; what is kept lies below the line."""

    k: int
    count: int
    points: str
    low: float
    middle: float
    high: float
    cut: float | None
    cut_y: int | None
    # Of what lies below the cut.
    kept: int

    @property
    def left_out(self) -> int:
        return self.count - self.kept


def draw_curve(curve: Curve) -> CurveChart:
    values = sorted(curve.perplexities)
    low, high = values[0], values[-1]
    kept = len(values) if curve.cut is None else sum(value < curve.cut for value in values)
    return CurveChart(
        k=curve.k,
        count=len(values),
        points=" ".join(
            f"{_across(place, len(values))},{_up(values[place], low, high)}" for place in _some(len(values))
        ),
        low=low,
        middle=values[len(values) // 2],
        high=high,
        cut=curve.cut,
        cut_y=None if curve.cut is None else _up(min(max(curve.cut, low), high), low, high),
        kept=kept,
    )


def _some(count: int) -> list[int]:
    """Evenly chosen places with the first and the last: a curve needs no more than its picture shows."""
    if count <= MOST_POINTS:
        return list(range(count))
    return sorted({round(place * (count - 1) / (MOST_POINTS - 1)) for place in range(MOST_POINTS)})


def _across(place: int, count: int) -> int:
    return LEFT + round((RIGHT - LEFT) * place / max(1, count - 1))


def _up(value: float, low: float, high: float) -> int:
    return BOTTOM - round((BOTTOM - TOP) * (value - low) / ((high - low) or 1.0))
