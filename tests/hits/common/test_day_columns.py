"""Columns by day: their heights, and labels that stay inside the picture."""

from decimal import Decimal

import pytest

from hits.common.day_columns import BOTTOM, LEFT, RIGHT, TOP, draw_days


def test_the_highest_day_reaches_the_top_and_is_labeled() -> None:
    drawn = draw_days([("1 Nov", 0, "0"), ("2 Nov", 8, "8"), ("3 Nov", 2, "2")])

    assert drawn is not None
    assert [(column.y, column.height) for column in drawn.columns] == [(BOTTOM, 0), (TOP, 100), (99, 25)]
    assert (drawn.highest.words, drawn.highest.anchor) == ("8", "middle")
    assert [(end.words, end.anchor) for end in drawn.ends] == [("1 Nov", "start"), ("3 Nov", "end")]


@pytest.mark.parametrize(("place", "anchor"), [(0, "start"), (27, "end")])
def test_a_label_at_an_edge_stays_inside(place: int, anchor: str) -> None:
    days = [(f"day {day}", Decimal(day == place), "$1.00") for day in range(28)]

    drawn = draw_days(days)

    assert drawn is not None
    assert drawn.highest.anchor == anchor
    assert all(column.x >= LEFT and column.x + column.width <= RIGHT for column in drawn.columns)


def test_days_without_anything_are_not_drawn() -> None:
    assert draw_days([("1 Nov", 0, "0")]) is None
    assert draw_days([]) is None
