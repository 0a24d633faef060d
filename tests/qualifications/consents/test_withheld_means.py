"""No mean of fewer than five people can be worked out from those that are shown."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qualifications.domain.withheld_cells import FEWEST, Roles
from qualifications.domain.withheld_means import roles_with_means

pytestmark = pytest.mark.pure
A, B, C = (frozenset({name}) for name in "abc")


def test_mean_of_four_people_is_not_shown() -> None:
    assert roles_with_means({A: 4, B: 5}) == {"b"}


def test_roles_that_share_nobody_have_their_means() -> None:
    assert roles_with_means({A: 5, B: 6, C: 7}) == {"a", "b", "c"}


def test_means_of_two_roles_that_differ_by_one_person_are_not_both_shown() -> None:
    assert roles_with_means({A | B: 9, A: 1}) == {"b"}


def test_mean_of_all_but_five_people_of_another_role_is_shown() -> None:
    assert roles_with_means({A | B: 9, A: 5}) == {"a", "b"}


def test_one_person_who_did_both_does_not_matter() -> None:
    assert roles_with_means({A: 40, B: 17, A | B: 1}) == {"a", "b"}


def test_two_roles_that_sum_up_to_all_but_one_of_a_third_are_noticed() -> None:
    """The means of a and of b give that of all but one of c."""
    assert roles_with_means({A | C: 6, B | C: 6, C: 1}) != {"a", "b", "c"}


ROLES = st.frozensets(st.sampled_from("abcd"), min_size=1)


@given(people=st.dictionaries(ROLES, st.sampled_from([1, 2, 4, 5]), max_size=4))
def test_no_combination_of_shown_sums_is_about_few_people(people: dict[Roles, int]) -> None:
    """A sum over few people is known only if their ages alone can be combined from the shown sums."""
    shown = sorted(roles_with_means(people))
    each = [roles for roles, count in people.items() for _ in range(count)]
    sums = np.array([[float(role in roles) for roles in each] for role in shown]).reshape(
        len(shown), len(each)
    )

    whole = np.linalg.matrix_rank(sums) if sums.size else 0
    told = [
        few
        for size in range(1, FEWEST)
        for few in combinations(range(len(each)), size)
        if sums.size and np.linalg.matrix_rank(np.delete(sums, few, axis=1)) < whole
    ]

    assert told == []
    assert all(sum(role in roles for roles in each) >= FEWEST for role in shown)
