"""Majorities, equal pairs and Krippendorff's alpha: his own example, and alpha by its plain definition."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import chain, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.plain.domain.agreement import Level, alpha_of, equal_pairs, majority_of, ticked_by_most

pytestmark = pytest.mark.pure
# Four observers, twelve units, with gaps: “Computing Krippendorff's Alpha-Reliability” (2011), section C.
KRIPPENDORFF = [
    [1, 1, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [5, 5, 5], [1, 1], [3],
]  # fmt: skip
units = st.lists(st.lists(st.integers(1, 4), max_size=5), min_size=1, max_size=6)


def by_definition(found: Sequence[Sequence[int]], distance: Callable[[int, int], Fraction]) -> Fraction:
    """Krippendorff's alpha as defined, 1 - Do / De, counted pair by pair."""
    paired = [unit for unit in found if len(unit) > 1]
    everything = list(chain.from_iterable(paired))
    count = len(everything)
    observed = sum(
        (
            sum((distance(*pair) for pair in permutations(unit, 2)), Fraction(0)) / (len(unit) - 1)
            for unit in paired
        ),
        Fraction(0),
    )
    expected = sum((distance(*pair) for pair in permutations(everything, 2)), Fraction(0))
    return 1 - (observed / count) / (expected / (count * (count - 1)))


def ordinal(everything: Sequence[int]) -> Callable[[int, int], Fraction]:
    """Ordinal distance as Krippendorff defines it: the sum of all ranks between, less half of both ends."""

    def distance(one: int, other: int) -> Fraction:
        low, high = sorted((one, other))
        between = sum(low <= value <= high for value in everything)
        ends = everything.count(low) + everything.count(high)
        return (between - Fraction(ends, 2)) ** 2 if low != high else Fraction(0)

    return distance


@pytest.mark.parametrize(
    ("level", "alpha"), [(Level.NOMINAL, 0.743), (Level.ORDINAL, 0.815), (Level.INTERVAL, 0.849)]
)
def test_alpha_of_krippendorffs_example(level: Level, alpha: float) -> None:
    found = alpha_of(KRIPPENDORFF, level=level)

    assert found is not None
    assert round(float(found), 3) == alpha


@given(units)
def test_alpha_is_as_defined(found: list[list[int]]) -> None:
    everything = [value for unit in found if len(unit) > 1 for value in unit]
    distances = {
        Level.NOMINAL: lambda one, other: Fraction(one != other),
        Level.ORDINAL: ordinal(everything),
        Level.INTERVAL: lambda one, other: Fraction(one - other) ** 2,
    }
    for level, distance in distances.items():
        expected = by_definition(found, distance) if len(set(everything)) > 1 else None
        assert alpha_of(found, level=level) == expected


@given(units)
def test_alpha_is_one_where_all_agree_and_never_more(found: list[list[int]]) -> None:
    alpha, pairs = alpha_of(found, level=Level.NOMINAL), equal_pairs(found)

    assert alpha is None or alpha <= 1
    assert alpha is None or (alpha == 1) == (pairs == 1)


def test_equal_pairs_are_counted_over_all_rows() -> None:
    assert equal_pairs([["a", "a", "b"], ["a", "a"], ["b"]]) == Fraction(4, 8)
    assert equal_pairs([["a"], []]) is None


def test_majority_names_every_leader_in_the_pages_order() -> None:
    found = majority_of(["no", "yes", "yes", "no", "unsure"], order=["yes", "no", "unsure"])

    assert found is not None
    assert (found.leaders, found.is_tie, found.share) == (("yes", "no"), True, Fraction(2, 5))


def test_majority_of_one_answer_and_of_none() -> None:
    found = majority_of(["yes"])

    assert found is not None
    assert (found.leaders, found.is_tie, found.votes, found.answers) == (("yes",), False, 1, 1)
    assert majority_of([]) is None


def test_several_choices_have_a_majority_each() -> None:
    answers = [("a", "b"), ("a",), ("a", "c"), ("b",)]

    assert ticked_by_most(answers, options=["a", "b", "c", "d"]) == (("a",), ("b",))
    assert ticked_by_most([], options=["a"]) == ((), ())
