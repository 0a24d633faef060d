"""Charts as files for papers, by vl-convert. It is heavy: commands draw, and no process that serves."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from hits.datasets.charts import LOOK, Chart
from hits.errors import CrowdError

FORMS = ("svg", "png")
WIDTH, SCALE = 400, 3
# As a page has them in its own colors (charts.js), here black on white.
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


def draw_paper(chart: Chart, *, form: str) -> bytes:
    spec = {**chart.spec, "width": WIDTH, "background": "white", "config": {**LOOK, "style": STYLES}}
    library = load_library()
    if form == "svg":
        return str(library.vegalite_to_svg(spec)).encode()
    return bytes(library.vegalite_to_png(spec, scale=SCALE))
