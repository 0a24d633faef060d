"""Worth of turns, computed exactly."""

from datetime import date, timedelta
from fractions import Fraction
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.winogavil.play import domain
from crowd.winogavil.play.domain import TurnWorth

pytestmark = pytest.mark.pure
# Jaccard indices of up to five chosen and five picked pictures, and means over three to six solvers.
jaccards = st.tuples(st.integers(0, 5), st.integers(2, 10)).map(lambda pair: Fraction(min(pair), pair[1]))
means = st.lists(jaccards, min_size=3, max_size=6).map(lambda values: sum(values, Fraction(0)) / len(values))


@given(st.lists(st.tuples(st.integers(0, 100), means), min_size=1, max_size=30))
def test_sums_of_cues_lose_nothing(cues: list[tuple[int, Fraction]]) -> None:
    worth = sum((domain.worth_of_cue(fool=fool, solvable=mean) for fool, mean in cues), TurnWorth())

    fool = sum((Fraction(fool, 100) for fool, _ in cues), Fraction(0)) / len(cues)
    solvable = sum((mean for _, mean in cues), Fraction(0)) / len(cues)
    assert (domain.fool_mean(worth), domain.solvable_mean(worth)) == (fool, solvable)
    assert domain.creator_points(worth) == int(domain.POINTS * (fool + solvable) / 2)


@given(st.lists(jaccards, min_size=1, max_size=30))
def test_sums_of_solves_lose_nothing(values: list[Fraction]) -> None:
    worth = sum((domain.worth_of_solve(value) for value in values), TurnWorth())

    assert domain.jaccard_mean(worth) == sum(values, Fraction(0)) / len(values)


def test_nothing_final_has_no_mean_and_no_points() -> None:
    nothing = TurnWorth()

    assert domain.fool_mean(nothing) is domain.solvable_mean(nothing) is domain.jaccard_mean(nothing) is None
    assert domain.creator_points(nothing) is domain.solver_points(nothing) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [("  Night   Owl ", "Night Owl"), ("Ｏｗｌ", "Owl"), ("Zoë", "Zoë"), ("x" * 20, "x" * 20), ("a1", "a1")],
)
def test_name_is_read_as_it_is_shown(text: str, name: str) -> None:
    assert domain.read_name(text) == name


@pytest.mark.parametrize("text", ["", "x", " x ", "x" * 21, "..", "a\u200bb", "a\u202eb"])
def test_name_that_cannot_be_told_from_others_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"length|letters"):
        domain.read_name(text)


@given(st.uuids())
def test_code_of_a_game_can_be_typed_by_hand(game: UUID) -> None:
    code = domain.join_code(game)

    assert len(code) == 6
    assert domain.read_code(f" {code[:3].lower()}-{code[3:]} ") == code
    assert domain.join_code(game) == code


@given(st.integers(0, 100_000))
def test_levels_follow_each_other_without_a_gap(points: int) -> None:
    level, after = domain.level_of(points), domain.level_of(points + 1)

    assert 0 <= level.done < level.span
    assert level.ends - level.span + level.done == points
    assert after.number == level.number + (points + 1 == level.ends)


@pytest.mark.parametrize(("points", "number"), [(0, 1), (99, 1), (100, 2), (299, 2), (300, 3), (600, 4)])
def test_each_level_takes_a_hundred_points_more(points: int, number: int) -> None:
    assert domain.level_of(points).number == number


@given(st.integers(0, 100), means)
def test_points_known_at_the_end_of_a_turn_are_never_taken_back(fool: int, solvable: Fraction) -> None:
    early = domain.points_of_turn(fool, is_cue=True)

    final = domain.game_points(domain.worth_of_cue(fool=fool, solvable=solvable))

    assert early <= final <= early + 51
    assert domain.game_points(domain.worth_of_solve(solvable)) == int(100 * solvable)


@pytest.mark.parametrize(("passed", "count"), [(0, 4), (1, 5), (2, 1), (30, 1)])
def test_days_go_on_with_the_next_day_alone(passed: int, count: int) -> None:
    before = date(2026, 2, 28)

    assert domain.days_in_row(4, before=before, today=before + timedelta(days=passed)) == count
