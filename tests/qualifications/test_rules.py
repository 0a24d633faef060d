"""A gate's rules are exact: strictly above means above, in integers and in fractions."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qualifications.domain.gate_rules import Bound, Floor, bounds_of, grade, read, read_finding, read_floors

pytestmark = pytest.mark.pure
HAIR = Fraction(1, 3000)
SHARES = st.fractions(min_value=0, max_value=1, max_denominator=60)
PERCENTS = st.integers(min_value=0, max_value=100)


def bound(percent: int, *, strictly: bool = True, measure: str = "jaccard") -> Bound:
    return Bound(measure=measure, percent=percent, strictly=strictly)


@pytest.mark.parametrize("percent", [40, 80])
@pytest.mark.parametrize(
    ("above", "strict", "at_least"),
    [
        (Fraction(-1, 100), False, False),
        (-HAIR, False, False),
        (Fraction(0), False, True),
        (HAIR, True, True),
        (Fraction(1, 100), True, True),
    ],
    ids=["one below", "a hair below", "exactly", "a hair above", "one above"],
)
def test_bound_at_its_border(percent: int, above: Fraction, strict: bool, at_least: bool) -> None:
    mean = Fraction(percent, 100) + above

    assert bound(percent).holds(mean) is strict
    assert bound(percent, strictly=False).holds(mean) is at_least


@pytest.mark.parametrize(
    ("values", "passes"),
    [
        ([Fraction(1)] * 8 + [Fraction(0)] * 2, False),
        ([Fraction(4, 5)] * 10, False),
        ([Fraction(4, 5)] * 9 + [Fraction(5, 6)], True),
        ([Fraction(4, 5)] * 9 + [Fraction(3, 4)], False),
        ([Fraction(1, 3), Fraction(2, 3)] + [Fraction(7, 8)] * 8, False),
        ([Fraction(1)] * 9 + [Fraction(0)], True),
    ],
    ids=["80 of ones", "80 of fractions", "above by a sixth", "below by a quarter", "80 of odd ones", "90"],
)
def test_grade_of_ten_items_is_strict(values: Sequence[Fraction], passes: bool) -> None:
    (found,) = grade([bound(80)], {"jaccard": values}, items=10)

    assert (found.holds, found.count) == (passes, 10)


@given(values=st.lists(SHARES, min_size=1, max_size=12), percent=PERCENTS, strictly=st.booleans())
def test_grade_is_exact_arithmetic(values: list[Fraction], percent: int, strictly: bool) -> None:
    (found,) = grade([bound(percent, strictly=strictly)], {"jaccard": values}, items=len(values))

    total, border = 100 * sum(values), percent * len(values)
    assert found.holds is (total > border if strictly else total >= border)


@given(values=st.lists(SHARES, min_size=1, max_size=12))
def test_grade_does_not_depend_on_the_order(values: list[Fraction]) -> None:
    found = [grade([bound(50)], {"jaccard": order}, items=1) for order in (values, values[::-1])]

    assert found[0] == found[1]


@given(count=st.integers(0, 12), items=st.integers(1, 12))
def test_grade_waits_for_enough_scores_of_each_measure(count: int, items: int) -> None:
    bounds = [bound(40, measure="fool"), bound(80, measure="solvable")]
    scores = {"fool": [Fraction(1)] * 12, "solvable": [Fraction(1)] * count}

    assert len(grade(bounds, scores, items=items)) == (2 if count >= items else 0)


def test_grade_of_a_measure_without_scores_waits() -> None:
    assert grade([bound(80)], {}, items=1) == []


@pytest.mark.parametrize(
    ("fool", "solvable", "held"),
    [
        (Fraction(40, 100), Fraction(81, 100), [False, True]),
        (Fraction(41, 100), Fraction(80, 100), [True, False]),
        (Fraction(40, 100) + HAIR, Fraction(80, 100) + HAIR, [True, True]),
        (Fraction(40, 100), Fraction(80, 100), [False, False]),
    ],
    ids=["fool at 40", "solvable at 80", "a hair above both", "at both"],
)
def test_grade_wants_every_bound(fool: Fraction, solvable: Fraction, held: list[bool]) -> None:
    bounds = [bound(40, measure="fool"), bound(80, measure="solvable")]

    found = grade(bounds, {"fool": [fool] * 10, "solvable": [solvable] * 10}, items=10)

    assert [one.holds for one in found] == held


@given(values=st.lists(SHARES, min_size=1, max_size=12), percent=PERCENTS, strictly=st.booleans())
def test_finding_is_read_as_it_was_written(values: list[Fraction], percent: int, strictly: bool) -> None:
    (found,) = grade([bound(percent, strictly=strictly)], {"jaccard": values}, items=1)

    assert read_finding(found.as_json()) == found
    assert bounds_of([found.as_json()]) == [found.bound]


@pytest.mark.parametrize("row", [None, {}, {"measure": "x"}, {"measure": "x", "above": "many"}], ids=str)
def test_finding_that_says_nothing_is_left_out(row: Any) -> None:
    assert (read_finding(row), bounds_of([row]), bounds_of(row)) == (None, [], [])


@given(values=st.lists(SHARES, max_size=12), below=PERCENTS, last=st.integers(min_value=1, max_value=12))
def test_floor_looks_at_the_latest_alone(values: list[Fraction], below: int, last: int) -> None:
    floor = Floor(measure="jaccard", below=below, last=last)

    expected = len(values) >= last and Fraction(sum(values[:last]), last) < Fraction(below, 100)
    assert floor.is_broken(values) is expected


@pytest.mark.parametrize(
    ("last_one", "broken"), [(HAIR, False), (Fraction(0), False), (-HAIR, True)], ids=["above", "at", "below"]
)
def test_floor_is_broken_strictly_below(last_one: Fraction, broken: bool) -> None:
    values = [Fraction(3, 5)] * 9 + [Fraction(3, 5) + last_one]

    assert Floor(measure="jaccard", below=60, last=10).is_broken(values) is broken


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "The rules are a list of objects."),
        ([1], "The rules are a list of objects."),
        ([{"above": 80}], "Rule 1 needs a measure."),
        ([{"measure": "x"}], "Rule 1 needs a measure, and either “above” or “at_least”."),
        ([{"measure": "x", "above": 1, "at_least": 1}], "Rule 1 needs a measure, and either"),
        ([{"measure": "x", "above": 80.0}], "Rule 1: per cent is a whole number from 0 to 100."),
        ([{"measure": "x", "above": True}], "Rule 1: per cent is a whole number from 0 to 100."),
        ([{"measure": "x", "above": 101}], "Rule 1: per cent is a whole number from 0 to 100."),
    ],
    ids=["object", "number", "no measure", "no bound", "two bounds", "decimal", "boolean", "too much"],
)
def test_rules_that_say_nothing_are_refused(data: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read(data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([{"measure": "x", "below": 60}], "Floor 1 needs a measure, “below” and “last”."),
        ([{"measure": "x", "below": 60, "last": 0}], "“last” is how many scores count, from 1 to 1000."),
        ([{"measure": "x", "below": 60, "last": True}], "“last” is how many scores count"),
    ],
    ids=["no last", "none", "boolean"],
)
def test_floors_that_say_nothing_are_refused(data: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        read_floors(data)


def test_rules_are_read() -> None:
    rows = [{"measure": "fool", "above": 40}, {"measure": "solvable", "at_least": 80}]

    assert read(rows) == [bound(40, measure="fool"), bound(80, strictly=False, measure="solvable")]
    assert read_floors([{"measure": "x", "below": 60, "last": 20}]) == [Floor(measure="x", below=60, last=20)]
