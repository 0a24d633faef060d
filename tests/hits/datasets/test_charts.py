"""Charts: what a specification says, and what is drawn from it."""

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.template.loader import render_to_string

from hits.core.errors import CrowdError
from hits.datasets import papers
from hits.datasets.vega_charts import Chart, Estimate, draw_estimates
from hits.management.commands.bundle_charts import GIVEN, PLACE

PNG = b"\x89PNG"


def make_chart() -> Chart:
    rows = [
        Estimate(label="People", share=0.7, interval=(0.4, 0.9), words="70.0 %"),
        Estimate(label="<script>", share=0.3, interval=None, words="30.0 %"),
    ]
    return draw_estimates(rows, name="text", caption="Text", limit=0.25, limit_name="chance")


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from leaves(inner)
    else:
        yield value


def test_estimates_say_every_share_and_keep_the_rows_order() -> None:
    chart = make_chart()

    assert chart.words.startswith("Text: People 70.0 %, <script> 30.0 %. The dashed line is chance;")
    assert chart.spec["encoding"]["y"]["sort"] == ["People", "<script>"]
    assert [row.get("low") for row in chart.spec["data"]["values"]] == [0.4, None]


def test_spec_names_styles_and_no_colors() -> None:
    assert [
        leaf for leaf in leaves(make_chart().spec) if isinstance(leaf, str) and leaf.startswith("#")
    ] == []


def test_page_has_the_spec_as_data_and_the_words_for_who_does_not_see_it() -> None:
    chart = make_chart()

    page = render_to_string("admin/hits/stat_chart.html", {"chart": chart})

    assert 'role="img" aria-label="Text: People 70.0 %, &lt;script&gt; 30.0 %.' in page
    assert "<script>" not in page.replace('<script id="spec-text" type="application/json">', "")
    assert "style=" not in page
    spec = page.partition('type="application/json">')[2].partition("</script>")[0]
    assert json.loads(spec) == json.loads(json.dumps(chart.spec))


def test_last_label_of_an_axis_stands_below_its_tick() -> None:
    """A label that was pushed inwards would touch the one before."""
    pytest.importorskip("vl_convert")

    svg = papers.draw_paper(make_chart(), form="svg").decode()

    (last,) = re.findall(r'<text text-anchor="(\w+)"[^>]*>100%</text>', svg)
    assert last == "middle"


def test_without_the_library_a_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)

    with pytest.raises(CrowdError, match="uv sync --group figures"):
        papers.draw_paper(make_chart(), form="svg")


def test_paper_has_it_as_svg_and_png() -> None:
    pytest.importorskip("vl_convert")

    svg, png = (papers.draw_paper(make_chart(), form=form) for form in papers.FORMS)

    assert svg.startswith(b"<svg")
    assert b"70.0 %" in svg
    assert b"style=" not in svg
    assert png.startswith(PNG)


def test_bundle_is_what_the_pinned_library_makes() -> None:
    library = pytest.importorskip("vl_convert")

    assert PLACE.read_text() == library.javascript_bundle(GIVEN)
