"""Perplexity curves of step 1: statements below the dashed line are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from crowd.winoventi.associations.queries.perplexity_curves import Curve
from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.stat_table import StatTable, head
from hits.datasets.vega_charts import LOOK, TICKS, Chart, Values, quantity, rule

MOST_POINTS = 160
CURVES = (
    head("k", TEXT),
    head("Statements"),
    *(head(title, NUMBER, digits=1) for title in ("Lowest", "Median", "Highest", "Cut at")),
    head("Below it"),
    head("Not below"),
)


@dataclass(frozen=True, kw_only=True)
class PlottedCurve:
    """A curve with its values from the lowest to the highest."""

    curve: Curve

    @cached_property
    def values(self) -> Sequence[float]:
        return sorted(self.curve.perplexities)

    @property
    def kept(self) -> int:
        """Number of statements below the cut; all of them where there is no cut."""
        cut = self.curve.cut
        return len(self.values) if cut is None else sum(value < cut for value in self.values)


def table_of(curves: Sequence[Curve]) -> StatTable:
    drawn = [PlottedCurve(curve=curve) for curve in curves]
    return StatTable(
        name="curves",
        title="Perplexity by k",
        columns=CURVES,
        rows=[_row(one) for one in drawn],
        empty="There is no perplexity yet.",
        charts=[_chart(one) for one in drawn],
        files=(),
    )


def _row(one: PlottedCurve) -> Sequence[Any]:
    values, count = one.values, len(one.values)
    middle = values[count // 2]
    return (one.curve.k, count, values[0], middle, values[-1], one.curve.cut, one.kept, count - one.kept)


def _chart(one: PlottedCurve) -> Chart:
    low, high, cut, count = one.values[0], one.values[-1], one.curve.cut, len(one.values)
    said = "" if cut is None else f" Cut at {cut:.1f}: {one.kept} are below."
    return Chart(
        name=f"{one.curve.k}",
        caption=f"k = {one.curve.k}",
        words=f"Perplexity of {count} statements, the lowest first, from {low:.1f} to {high:.1f}.{said}",
        spec={
            "config": LOOK,
            "height": 180,
            "data": {"values": [{"place": at + 1, "perplexity": one.values[at]} for at in _some(count)]},
            "layer": [_line(low=low, high=high, count=count), *([] if cut is None else _limit(cut, of=high))],
        },
    )


def _line(*, low: float, high: float, count: int) -> Mapping[str, Any]:
    """The curve. Few statements get few ticks, because half a statement means nothing."""
    ticks = max(1, min(TICKS, count - 1))
    return {
        "mark": {"type": "line", "style": "main", "strokeWidth": 2.5},
        "encoding": {
            "x": quantity("place", low=1, high=count, title="statements by perplexity", ticks=ticks),
            "y": quantity("perplexity", low=low, high=high),
        },
    }


def _limit(cut: float, *, of: float) -> Values:
    """The dashed line of the cut, drawn inside the chart even where the cut is above the highest value."""
    data = {"values": [{"cut": min(cut, of), "words": f"cut at {cut:.1f}"}]}
    place = {"field": "cut", "type": "quantitative"}
    words = {"x": {"value": 0}, "y": place, "text": {"field": "words"}}
    return [
        {"data": data, "mark": rule("plain", is_dashed=True), "encoding": {"y": place}},
        {
            "data": data,
            "mark": {"type": "text", "style": "plain", "align": "left", "dx": 6, "dy": -8},
            "encoding": words,
        },
    ]


def _some(count: int) -> list[int]:
    """Evenly spaced places with the first and the last: a curve needs no more than its chart shows."""
    if count <= MOST_POINTS:
        return list(range(count))
    return sorted({round(place * (count - 1) / (MOST_POINTS - 1)) for place in range(MOST_POINTS)})
