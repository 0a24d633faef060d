"""Charts of figures: shapes and direct labels, so that no color carries a meaning."""

from collections.abc import Mapping, Sequence
from typing import Any

from crowd.winogavil.releases.domain import GROUPS
from hits.datasets.vega_charts import BELOW, LOOK, Chart, Values, category, quantity, rule

MOST_POINTS = 1_000
Rows = Sequence[Mapping[str, Any]]
# Names in the chart of the columns with mean Jaccard indices, and their shapes.
WHOSE = {"human": "people", "model": "model", "random": "chance"}
SHAPES = ("circle", "square", "M0,-1V1")


def draw_shapes(selected: Rows) -> Sequence[Chart]:
    """Chart of people, model and chance on one scale, a line for each shape with selected associations."""
    if not selected:
        return ()
    return [
        Chart(
            name="shapes",
            words="Mean Jaccard index of people, model and chance by the number of candidates and chosen. "
            f"{BELOW}",
            spec={
                "config": LOOK,
                "data": {"values": _values(selected)},
                "encoding": {"y": category("shape", [_name(row) for row in selected])},
                "layer": [_span(), _points()],
            },
        )
    ]


def draw_scatters(creators: Rows) -> Sequence[Chart]:
    """Square charts, one for each group of sizes in which a creator has both scores."""
    return [chart for name in GROUPS for chart in _scatter(name, creators)]


def draw_concreteness(bins: Rows) -> Sequence[Chart]:
    """Charts of how many cues are how concrete, and how well those of each bin are solved."""
    rated = [row for row in bins if row["from"] is not None]
    most = max((row["cues"] for row in rated), default=0)
    if not most:
        return ()
    across = quantity("from", low=1, high=5, title="concreteness of the cue")
    upward = quantity("cues", low=0, high=most, title="different cues")
    means = [
        {"middle": (row["from"] + row["to"]) / 2, "who": WHOSE[key], "mean": row[key]}
        for row in rated
        for key in ("human", "model")
        if row[key] is not None
    ]
    return [
        Chart(
            name="cues",
            caption="Different cues by their concreteness",
            words=f"Number of different cues by concreteness, from abstract to concrete. {BELOW}",
            spec={
                "config": LOOK,
                "data": {"values": [{name: row[name] for name in ("from", "to", "cues")} for row in rated]},
                "mark": {"type": "bar", "style": "main", "orient": "vertical"},
                "encoding": {
                    "x": {**across, "bin": {"binned": True, "step": 0.5}},
                    "x2": {"field": "to"},
                    "y": {**upward, "axis": {**upward["axis"], "tickMinStep": 1}},
                    "tooltip": [{"field": name} for name in ("from", "to", "cues")],
                },
            },
        ),
        Chart(
            name="scores",
            caption="Mean Jaccard index by the concreteness of the cue",
            words=f"Mean Jaccard index of people and model by the concreteness of the cue. {BELOW}",
            spec={
                "config": LOOK,
                "data": {"values": means},
                "mark": {"type": "point", "style": "main", "size": 90, "opacity": 1},
                "encoding": {
                    "x": quantity("middle", low=1, high=5, title="concreteness of the cue"),
                    "y": quantity("mean", low=0, high=100, title="mean Jaccard index, per cent"),
                    "shape": {"field": "who", "scale": {"domain": ["people", "model"], "range": SHAPES[:2]}},
                    "tooltip": [{"field": name} for name in ("middle", "who", "mean")],
                },
            },
        ),
    ]


def _values(selected: Rows) -> Values:
    return [
        {"shape": _name(row), "who": who, "mean": row[key]}
        for row in selected
        for key, who in WHOSE.items()
        if row[key] is not None
    ]


def _name(row: Mapping[str, Any]) -> str:
    return f"{row['chosen']} of {row['candidates']}"


def _span() -> Mapping[str, Any]:
    """Line from the lowest of the three to the highest."""
    low = {"aggregate": "min", "field": "mean", "type": "quantitative"}
    return {"mark": rule("quiet"), "encoding": {"x": low, "x2": {"aggregate": "max", "field": "mean"}}}


def _points() -> Mapping[str, Any]:
    names = list(WHOSE.values())
    shape = {"field": "who", "scale": {"domain": names, "range": SHAPES}}
    return {
        "mark": {"type": "point", "style": "main", "size": 90, "opacity": 1},
        "encoding": {
            "x": quantity("mean", low=0, high=100, title="mean Jaccard index, per cent"),
            "shape": shape,
            "tooltip": [{"field": "shape"}, {"field": "who"}, {"field": "mean"}],
        },
    }


def _scatter(name: str, creators: Rows) -> Sequence[Chart]:
    """Chart with a point for each spymaster: to the right they fool the model, upwards people solve them."""
    tail = name.replace(" & ", "_")
    fool, solvable, made = f"fool_{tail}", f"solvable_{tail}", f"made_{tail}"
    both = [row for row in creators if row[fool] is not None and row[solvable] is not None]
    most = sorted(both, key=lambda row: -row[made])[:MOST_POINTS]
    if not most:
        return ()
    values = [
        {"creator": row["creator"], "made": row[made], "fool": row[fool], "solvable": row[solvable]}
        for row in most
    ]
    some = f": the {len(most)} who made most, of {len(both)}" if len(most) < len(both) else ""
    return [
        Chart(
            name=tail,
            caption=f"{name} candidates{some}",
            words=f"One point for each creator, {len(both)} in all: fool-the-AI to the right, solvable by "
            f"humans upwards. {BELOW}",
            spec=_square(values),
        )
    ]


def _square(values: Values) -> Mapping[str, Any]:
    """Chart specification; points are larger for creators who made more, so that few look like few."""
    return {
        "config": LOOK,
        "height": 300,
        "data": {"values": values},
        "mark": {"type": "point", "style": "main", "filled": True, "opacity": 0.6},
        "encoding": {
            "x": quantity("fool", low=0, high=100, title="fool-the-AI"),
            "y": quantity("solvable", low=0, high=100, title="solvable by humans"),
            "size": {
                "field": "made",
                "type": "quantitative",
                "scale": {"type": "log", "range": [80, 400]},
                "legend": None,
            },
            "tooltip": [{"field": one} for one in ("creator", "made", "fool", "solvable")],
        },
    }
