"""Charts as files for papers, by vl-convert. It is heavy: only commands draw, and no process that serves."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from hits.core.errors import CrowdError
from hits.datasets.bars import Bars
from hits.datasets.stat_table import StatTable
from hits.datasets.vega_charts import LOOK, Chart, category, quantity

FORMS = ("svg", "png")
WIDTH, SCALE = 400, 3
# The styles that a page has in its own colors (charts.js), here black on white.
STYLES: Mapping[str, Mapping[str, Any]] = {
    "main": {"color": "#20639b"},
    "quiet": {"color": "#bbbbbb"},
    "plain": {"color": "#000000"},
}


def load_library() -> Any:
    try:
        return import_module("vl_convert")
    except ImportError as error:
        raise CrowdError("Install the group figures first: uv sync --group figures") from error


def papers_of(table: StatTable) -> Iterator[Chart]:
    """Yield every chart of the table; bars, which pages draw themselves, become one of them."""
    yield from table.charts
    if table.bars is not None:
        yield Chart(name="bars", words=table.title, spec=_bars(table.bars))


def draw_paper(chart: Chart, *, form: str) -> bytes:
    spec = {
        **chart.spec,
        "description": chart.words,
        "width": WIDTH,
        "background": "white",
        "config": {**LOOK, "style": STYLES},
    }
    library = load_library()
    if form == "svg":
        return str(library.vegalite_to_svg(spec)).encode()
    return bytes(library.vegalite_to_png(spec, scale=SCALE))


def _bars(bars: Bars) -> Mapping[str, Any]:
    names = [f"{place}. {bar.label}" for place, bar in enumerate(bars.rows)]  # two may be called alike
    values = [
        {"name": name, "value": float(bar.value), "words": bar.words}
        for name, bar in zip(names, bars.rows, strict=True)
    ]
    label = {"labelExpr": "slice(datum.label, indexof(datum.label, ' ') + 1)"}
    name = category("name", names)
    return {
        "data": {"values": values},
        "encoding": {
            "y": {**name, "axis": {**name["axis"], **label}},
            "x": {**quantity("value", low=0, high=bars.longest), "axis": None},
        },
        "layer": [
            {"mark": {"type": "bar", "style": "main"}},
            {
                "mark": {"type": "text", "style": "plain", "align": "left", "dx": 6},
                "encoding": {"text": {"field": "words"}},
            },
        ],
    }
