"""Charts by Vega-Lite. A spec names styles and no colors: those come from the page or the paper."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LONGEST_LABEL_PX = 150
TICKS = 5
Values = Sequence[Mapping[str, Any]]
BELOW = "The table below and its files have every figure."
# Look of every chart, on pages and in papers.
LOOK: Mapping[str, Any] = {
    "mark": {"aria": False},  # the whole is one image with words of its own
    "view": {"stroke": None},
    "axis": {"labelFontSize": 13, "titleFontSize": 13, "titleFontWeight": "normal", "labelPadding": 8},
    # The last label stands below its tick, and not beside the one before.
    "axisX": {"labelFlush": False},
    "legend": {"orient": "top", "title": None, "labelFontSize": 13},
    "text": {"fontSize": 13, "fontWeight": 600},
}


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A chart. `words` describe it to people who cannot see it; a table with every figure is beside it."""

    name: str
    words: str
    spec: Mapping[str, Any]
    caption: str = ""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """One row: a share of 1, and the ends of its interval if it has one."""

    label: str
    share: float
    interval: tuple[float, float] | None
    words: str


def draw_estimates(
    rows: Sequence[Estimate], *, name: str, caption: str, limit: float, limit_name: str
) -> Chart:
    """Return a chart of points with their intervals, and a dashed line at the limit."""
    said = ", ".join(f"{row.label} {row.words}" for row in rows)
    return Chart(
        name=name,
        caption=caption,
        words=f"{caption}: {said}. The dashed line is {limit_name}; a line through a point is its interval. "
        f"{BELOW}",
        spec={
            "config": LOOK,
            "data": {"values": [_values_of(row) for row in rows]},
            "encoding": {
                "y": category("label", [row.label for row in rows]),
                "x": quantity("share", low=0, high=1, form=".0%"),
                "tooltip": [{"field": "label", "title": " "}, {"field": "words", "title": caption}],
            },
            "layer": [_limit(limit), *ESTIMATES],
        },
    )


def _values_of(row: Estimate) -> Mapping[str, Any]:
    ends = {} if row.interval is None else {"low": row.interval[0], "high": row.interval[1]}
    return {"label": row.label, "share": row.share, "words": row.words, **ends}


def _limit(value: float) -> Mapping[str, Any]:
    """Layer of the limit's line, drawn once and not for each row."""
    encoding = {"x": {"field": "limit"}, "y": None, "tooltip": None}
    return {
        "data": {"values": [{"limit": value}]},
        "mark": rule("plain", is_dashed=True),
        "encoding": encoding,
    }


def category(field: str, order: Sequence[str]) -> Mapping[str, Any]:
    axis = {
        "title": None,
        "labelLimit": LONGEST_LABEL_PX,
        "domain": False,
        "ticks": False,
        "labelPadding": 14,
    }
    return {"field": field, "type": "nominal", "sort": order, "axis": axis}


def quantity(
    field: str, *, low: float, high: float, form: str = "", title: str = "", ticks: int = TICKS
) -> Mapping[str, Any]:
    """Axis with fixed ends, whatever is shown, so that charts beside each other can be compared."""
    axis = {"title": title or None, "tickCount": ticks, **({"format": form} if form else {})}
    return {"field": field, "type": "quantitative", "scale": {"domain": [low, high]}, "axis": axis}


def rule(style: str, *, width: float = 1.5, is_dashed: bool = False) -> Mapping[str, Any]:
    return {"type": "rule", "style": style, "strokeWidth": width, "strokeDash": [6, 4] if is_dashed else []}


# For each row: its interval, its point, and its words at the end of the line.
ESTIMATES: Values = (
    {"mark": rule("main", width=2), "encoding": {"x": {"field": "low"}, "x2": {"field": "high"}}},
    {"mark": {"type": "point", "style": "main", "filled": True, "size": 90, "opacity": 1}},
    {
        "mark": {"type": "text", "style": "plain", "align": "left", "dx": 8},
        "encoding": {"x": {"value": "width"}, "text": {"field": "words"}},
    },
)
