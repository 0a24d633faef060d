from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.winogavil.annotation.domain import (
    ASSOCIATION_TYPES,
    REASONING_SKILLS,
    fleiss_kappa,
    named_by_most,
    per_cent_of,
    rank,
)

pytestmark = pytest.mark.pure
ONE_EACH = st.lists(st.sampled_from(ASSOCIATION_TYPES), min_size=3, max_size=3)


@pytest.mark.parametrize(
    ("answers", "named"),
    [
        pytest.param([["colors"], ["colors"], ["colors"]], ["colors"], id="all-three"),
        pytest.param([["colors"], ["activity"], ["colors"]], ["colors"], id="two-of-three"),
        pytest.param([["colors"], ["activity"], ["counting"]], [], id="all-differ"),
        pytest.param(
            [["outcome", "use_of"], ["use_of", "humor"], ["humor"]], ["humor", "use_of"], id="two-labels"
        ),
        pytest.param([["none"], ["none"], ["humor"]], ["none"], id="nothing-fits"),
        # A late answer may be the fourth; then two of four are no majority.
        pytest.param([["a"], ["a"], ["b"], ["b"]], [], id="two-of-four"),
        pytest.param([["a"], ["a"], ["a"], ["b"]], ["a"], id="three-of-four"),
        pytest.param([["a", "a"], ["b"], ["c"]], [], id="said-twice-by-one"),
    ],
)
def test_named_by_most_wants_more_than_half(answers: list[list[str]], named: list[str]) -> None:
    assert named_by_most(answers) == named


@given(ONE_EACH)
def test_named_by_most_of_one_label_each_names_at_most_one(labels: list[str]) -> None:
    named = named_by_most([[label] for label in labels])

    assert len(named) <= 1
    assert bool(named) == (len(set(labels)) < 3)


def test_fleiss_kappa_of_a_worked_example() -> None:
    answers = [["a", "a", "b"], ["a", "b", "b"]]

    # Observed: one pair of three in each, 1/3. By chance: (3/6)**2 + (3/6)**2 = 1/2.
    assert fleiss_kappa(answers) == (Fraction(1, 3) - Fraction(1, 2)) / (1 - Fraction(1, 2))


def test_fleiss_kappa_of_full_agreement_is_one() -> None:
    assert fleiss_kappa([["a", "a", "a"], ["b", "b", "b"]]) == 1


def test_fleiss_kappa_is_not_defined_where_everybody_always_says_the_same() -> None:
    assert (fleiss_kappa([["a", "a", "a"]]), fleiss_kappa([])) == (None, None)


@given(st.lists(ONE_EACH, min_size=1, max_size=12))
def test_fleiss_kappa_is_one_at_most(answers: list[list[str]]) -> None:
    kappa = fleiss_kappa(answers)

    assert kappa is None or kappa <= 1
    assert (kappa == 1) == (kappa is not None and all(len(set(one)) == 1 for one in answers))


@pytest.mark.parametrize(("count", "tenth"), [(0, 0), (1, 1), (10, 1), (11, 2), (100, 10), (101, 11)])
def test_per_cent_of_rounds_up(count: int, tenth: int) -> None:
    assert per_cent_of(count, per_cent=10) == tenth


def test_rank_orders_by_seed_alone() -> None:
    names = [str(number) for number in range(50)]

    first, again, other = (sorted(names, key=lambda name: rank(name, seed=seed)) for seed in (1, 1, 2))

    assert first == again
    assert first != other
    # Names that came in later do not change the order of the others.
    later = sorted([*names, "new"], key=lambda name: rank(name, seed=1))
    assert [name for name in later if name != "new"] == first


def test_labels_are_those_of_the_paper() -> None:
    assert (len(ASSOCIATION_TYPES), len(REASONING_SKILLS)) == (6, 14)
