"""A table of statistics: what its page shows, what its files hold, and the charts that are drawn from it."""

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from django.http import Http404, HttpResponse
from django.template.loader import render_to_string

from hits.admin.stat_tables import send_table
from hits.datasets.bars import draw_bars
from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.stat_table import INTERVAL, MONEY, SHARE, StatTable, head, json_text
from hits.studies.models import Study
from tests.pages import text_of

COLUMNS = (
    head("Who", TEXT),
    head("Right"),
    head("Share", SHARE),
    head("95 % interval", INTERVAL),
    head("Mean", NUMBER, digits=1),
    head("Paid", MONEY),
)
ROWS: list[tuple[Any, ...]] = [
    ("people", 2, Fraction(2, 3), (0.2, 0.945), Fraction(5, 3), Decimal("1.5")),
    ("=model", 0, None, None, 3, None),
]


def make_table(**changes: Any) -> StatTable:
    return StatTable(**{"name": "who", "title": "Who is right", "columns": COLUMNS, "rows": ROWS, **changes})


def lines(table: StatTable) -> list[str]:
    return "".join(table.csv()).removeprefix("\ufeff").splitlines()


def words(table: StatTable) -> list[list[str]]:
    return [[cell.words for _, cell in row] for row in table.shown()]


def test_page_and_file_hold_the_same_words() -> None:
    table = make_table()

    assert words(table) == [
        ["people", "2", "66.7 %", "20.0 to 94.5", "1.7", "$1.50"],
        ["=model", "0", "–", "–", "3", "–"],
    ]
    assert lines(table) == [
        "Who,Right,Share,95 % interval,Mean,Paid",
        "people,2,66.7 %,20.0 to 94.5,1.7,$1.50",
        "'=model,0,–,–,3,–",
    ]


def test_json_holds_the_numbers_behind_the_words() -> None:
    found = json.loads(json_text(make_table().as_json()))

    assert found == [
        {
            "who": "people",
            "right": 2,
            "share": 2 / 3,
            "95_interval": [0.2, 0.945],
            "mean": 5 / 3,
            "paid": 1.5,
        },
        {"who": "=model", "right": 0, "share": None, "95_interval": None, "mean": 3, "paid": None},
    ]


def test_exact_file_has_names_and_numbers_and_what_the_page_leaves_out() -> None:
    columns = (
        head("Who", TEXT, name="who"),
        head("", name="made"),
        head("Share, in words", TEXT, name="", of=lambda row: f"{row['share']} of 1"),
        head("", NUMBER, name="share"),
    )
    rows = [{"who": "people", "made": 4, "share": -0.5}, {"who": "model", "made": 0, "share": None}]

    table = make_table(columns=columns, rows=rows, page_rows=rows[:1], exact=True)

    assert [one.title for one in table.header()] == ["Who", "Share, in words"]
    assert words(table) == [["people", "-0.5 of 1"]]
    # There is no apostrophe before a negative number.
    assert lines(table) == ["who,made,share", "people,4,-0.5", "model,0,"]
    assert list(table.as_json())[1] == rows[1]


def test_columns_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="share a name"):
        make_table(columns=(head("Of", TEXT), head("Of")))


def test_row_is_read_by_what_its_column_says() -> None:
    columns = [head("k", TEXT, of=lambda row: f"k = {row}")]

    assert words(make_table(columns=columns, rows=[1, 3])) == [["k = 1"], ["k = 3"]]


def test_section_shows_the_chart_the_table_and_its_files() -> None:
    bars = draw_bars([("people", 0.5, "50 %"), ("a model with a very long name", 1, "100 %")], most=1)

    section = render_to_string("admin/hits/stat_table.html", {"table": make_table(bars=bars)})
    page = text_of(HttpResponse(section))

    assert '<title id="chart-who"> Who is right: people 50 %, a model with a very l… 100 %.' in page
    assert '<th scope="row">people</th><td class="number">2</td>' in page
    assert '<a href="who.csv" aria-label="Who is right, as CSV">' in page
    assert '<a href="who.json" aria-label="Who is right, as JSON">' in page


def test_section_without_rows_says_only_that() -> None:
    page = render_to_string(
        "admin/hits/stat_table.html", {"table": make_table(rows=[], about="Of all.", empty="Nobody yet.")}
    )

    assert "Nobody yet." in page
    assert "Of all." not in page
    assert "<table" not in page


def test_nothing_to_draw_is_no_chart() -> None:
    assert draw_bars([]) is None
    assert draw_bars([("people", 0, "0")]) is None


def test_file_is_named_by_its_study() -> None:
    study = Study(name="Snow")

    answer = send_table([make_table()], "who", form="json", study=study)

    expected = f'attachment; filename="study-{str(study.public_id)[:8]}-who.json"'
    assert answer["Content-Disposition"] == expected


def test_table_that_is_not_there_is_not_sent() -> None:
    with pytest.raises(Http404):
        send_table([make_table()], "other", form="csv", study=Study(name="Snow"))
