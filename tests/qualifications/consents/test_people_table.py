"""The published figures of who took part, without a database."""

from collections.abc import Sequence
from typing import Any

import pytest

from qualifications.domain.people_table import Person, aged_of, differs_by_few, figures_of, members_of

pytestmark = pytest.mark.pure
SOLVER, SPYMASTER = frozenset({"Solvers"}), frozenset({"Spymasters"})


def people(count: int, roles: frozenset[str] = SOLVER, *, start: int = 0, **answers: Any) -> list[Person]:
    return [Person(mark=f"{start + number}", roles=roles, answers=answers) for number in range(count)]


def paper() -> list[Person]:
    """The spymasters of the paper's table and more: 13 with a bachelor's degree, one with a master's."""
    old: dict[str, Any] = {"age": 52, "native_english": "yes"}
    young: dict[str, Any] = {"age": 34, "native_english": "yes"}
    return [
        *people(8, education="school", gender="woman", **old),
        *people(7, start=20, education="bachelor", gender="man", **young),
        *people(6, start=40, education="bachelor", gender="man", **old),
        *people(1, start=60, education="master", gender="man", **young),
    ]


def test_figures_are_exact() -> None:
    found = figures_of(paper())["Solvers"]

    assert (found["workers"], found["age"]) == (22, [45, 9])
    assert found["gender"] == {"woman": 8, "man": 14, "nonbinary": 0, "other": 0}


def test_small_count_takes_the_next_one_along() -> None:
    """Everybody but the one with a master's degree would be shown otherwise."""
    found = figures_of(paper())["Solvers"]["education"]

    assert {answer: count for answer, count in found.items() if count is not None} == {"bachelor": 13}


def test_those_who_did_not_say_are_in_no_figure_and_protect_the_few() -> None:
    """One is non-binary; the seven who did not say are in the same rest, so the others can be shown."""
    told = [*people(9, gender="woman"), *people(9, start=20, gender="man"), *people(7, start=40)]
    rare = people(1, start=60, gender="nonbinary")

    found = figures_of([*told, *rare])["Solvers"]

    assert figures_of(told)["Solvers"]["gender"] == {"woman": 9, "man": 9, "nonbinary": 0, "other": 0}
    assert found["gender"] == {"woman": 9, "man": 9, "nonbinary": None, "other": None}
    assert found["age"] is None


def test_role_of_four_people_says_nothing() -> None:
    found = figures_of([*people(4, SPYMASTER, age=30, gender="woman"), *people(3, start=9, age=50)])

    assert _values(found["Spymasters"]) == {None}


@pytest.mark.parametrize(("youngest", "shown"), [(30, None), (20, [28, 4])])
def test_one_age_of_everybody_is_not_shown(youngest: int, shown: Sequence[int] | None) -> None:
    found = figures_of([*people(5, age=30), *people(1, start=9, age=youngest)])

    assert found["Solvers"]["age"] == shown


def test_count_that_differs_from_an_earlier_one_by_few_is_withheld() -> None:
    """Seven came, of whom two are women: twelve women before and fourteen now would say so."""
    before = [*people(12, gender="woman"), *people(12, start=20, gender="man"), *people(5, start=40)]
    now = [*before, *people(2, start=60, gender="woman"), *people(5, start=70, gender="man")]
    earlier = figures_of(before)

    found = figures_of(now, earlier=[earlier])

    assert earlier["Solvers"]["gender"] == {"woman": 12, "man": 12, "nonbinary": 0, "other": 0}
    assert found["Solvers"]["gender"] == {"woman": None, "man": 17, "nonbinary": None, "other": None}


@pytest.mark.parametrize(("joined", "few"), [(0, False), (1, True), (4, True), (5, False)])
def test_counts_of_nearly_the_same_people_are_noticed(joined: int, few: bool) -> None:
    before, now = members_of(people(9)), members_of(people(9 + joined))

    assert differs_by_few(now, before) is few


@pytest.mark.parametrize(("replaced", "few"), [(1, True), (3, True), (4, True), (5, False)])
def test_replaced_people_are_as_many_as_were_replaced(replaced: int, few: bool) -> None:
    assert differs_by_few(members_of(people(9, start=replaced)), members_of(people(9))) is few


def test_roles_of_which_nothing_is_published_are_not_compared() -> None:
    assert not differs_by_few({"Designers": ["a", "b"]}, {"Designers": ["c", "d"]})
    assert not differs_by_few({"Designers": ["a", "b"]}, members_of(people(5)))


@pytest.mark.parametrize(("each", "few"), [(20, True), (17, False)])
def test_roles_that_together_are_nearly_one_of_another_count_are_noticed(each: int, few: bool) -> None:
    """The columns of those who drew, wrote and checked, subtracted from that of the solvers, tell of two."""
    solvers = members_of(people(62))
    others = {
        role: [str(first + number) for number in range(each)]
        for role, first in (("Drawers", 0), ("Writers", 20), ("Checkers", 40))
    }

    assert differs_by_few(others, solvers) is few
    assert differs_by_few(solvers, others) is few


def test_mean_age_that_an_earlier_one_would_tell_apart_is_withheld() -> None:
    """Four of those who came tell no age: the two means would give away that of the fifth."""
    five = [*people(3, age=30), *people(2, start=3, age=32)]
    joined = [*people(4, start=9), *people(1, start=20, age=70)]
    first = figures_of(five)
    before = aged_of(five, first)

    found = figures_of([*five, *joined], earlier=[first], aged_before=[before])
    later = [*five, *people(5, start=30, age=70)]

    assert first["Solvers"]["age"] == [31, 1]
    assert found["Solvers"]["age"] is None
    assert aged_of([*five, *joined], found) == {}
    assert figures_of(later, aged_before=[before])["Solvers"]["age"] == [50, 20]


def test_mean_ages_of_two_roles_give_none_of_a_few_people_of_an_earlier_count_away() -> None:
    solvers = [*people(6, age=30), *people(6, start=6, age=40)]
    before = aged_of(solvers, figures_of(solvers))
    drawers = [*people(3, SPYMASTER, age=30), *people(3, SPYMASTER, start=6, age=40)]
    writers = [
        *people(3, frozenset({"Writers"}), start=3, age=30),
        *people(2, frozenset({"Writers"}), start=9, age=40),
    ]

    found = figures_of([*drawers, *writers], aged_before=[before])

    assert (found["Spymasters"]["age"], found["Writers"]["age"]) == ([35, 5], None)


def _values(found: object) -> set[object]:
    if isinstance(found, dict):
        return set[object]().union(*(_values(one) for one in found.values()))
    return {found}
