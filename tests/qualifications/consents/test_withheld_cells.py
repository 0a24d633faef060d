"""No withheld count can be worked out from what a table shows: every other possible table is tried."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qualifications.domain import withheld_cells as cells
from qualifications.domain.withheld_cells import FEWEST, Cell, People, Roles, counts_by_role, withheld_cells

pytestmark = pytest.mark.pure
SOLVER, SPYMASTER, BOTH = frozenset({"solver"}), frozenset({"spymaster"}), frozenset({"solver", "spymaster"})
ANSWERS = ("school", "bachelor", "master")


def one_role(*counts: int) -> People:
    return {SOLVER: dict(zip(ANSWERS, counts, strict=False))}


def splits(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in splits(total - first, parts - 1):
            yield (first, *rest)


def possible(people: People, hidden: Collection[Cell]) -> Iterator[dict[Roles, tuple[int, ...]]]:
    """All tables of people that have these roles, and the same published counts."""
    shown = {cell: count for cell, count in counts_by_role(people).items() if cell not in hidden}
    ways = [list(splits(sum(answers.values()), len(ANSWERS))) for answers in people.values()]
    for chosen in product(*ways):
        table = dict(zip(people, chosen, strict=True))
        if all(
            sum(table[roles][ANSWERS.index(answer)] for roles in table if role in roles) == count
            for (role, answer), count in shown.items()
        ):
            yield table


def possible_counts(people: People, hidden: Collection[Cell]) -> Mapping[tuple[str, str], set[int]]:
    """Return the values that the published counts leave open, for each role and each combination of roles."""
    found: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    roles = sorted({role for one in people for role in one})
    for table in possible(people, hidden):
        for place, answer in enumerate(ANSWERS):
            for combination, counts in table.items():
                found["only " + " and ".join(sorted(combination)), answer].add(counts[place])
            for role in roles:
                found[role, answer].add(sum(table[one][place] for one in table if role in one))
    return found


def true_counts(people: People) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = dict(counts_by_role(people))
    for combination, answers in people.items():
        for answer, count in answers.items():
            found["only " + " and ".join(sorted(combination)), answer] = count
    return found


def test_large_counts_are_all_shown() -> None:
    assert withheld_cells(one_role(13, 19, 8)) == frozenset()


@pytest.mark.parametrize("small", [1, 4])
def test_small_count_is_withheld_with_the_next_smallest_that_would_reveal_it(small: int) -> None:
    assert withheld_cells(one_role(13, 19, small)) == {("solver", "master"), ("solver", "school")}


def test_nought_is_shown_where_nothing_is_withheld_and_looks_like_a_small_count_elsewhere() -> None:
    assert withheld_cells(one_role(13, 19, 0)) == frozenset()
    assert withheld_cells(one_role(3, 19, 0)) == {("solver", answer) for answer in ANSWERS}


def test_those_who_said_nothing_are_never_shown_and_stand_for_a_second_count() -> None:
    school, everything = ("solver", "school"), {("solver", answer) for answer in ANSWERS}

    assert withheld_cells(one_role(13, 19, 1), unsaid="master") == {("solver", "master")}
    assert withheld_cells(one_role(4, 19, 13), unsaid="master") == {school, ("solver", "master")}
    assert withheld_cells(one_role(4, 19, 0), unsaid="master") == everything


def test_two_small_counts_that_sum_up_to_few_people_take_a_third_along() -> None:
    assert withheld_cells(one_role(2, 19, 2)) == {("solver", answer) for answer in ANSWERS}


def test_two_small_counts_of_five_together_leave_the_rest_shown() -> None:
    assert withheld_cells(one_role(2, 19, 3)) == {("solver", "school"), ("solver", "master")}


def test_fewer_than_five_people_show_nothing() -> None:
    assert withheld_cells(one_role(1, 2, 1)) == {("solver", answer) for answer in ANSWERS}


def test_role_of_all_but_one_of_another_role_is_not_shown_beside_it() -> None:
    """Nine spymasters solve too, and one more person only solves: the difference of the columns is theirs."""
    people = {
        BOTH: dict.fromkeys(ANSWERS, 6),
        SOLVER: {"school": 1, "bachelor": 0, "master": 0},
    }

    hidden = withheld_cells(people)

    assert hidden
    assert len(possible_counts(people, hidden)["only solver", "school"]) == 2


def test_the_paper_s_overlap_of_one_person_costs_nothing() -> None:
    """Who did both cannot be told, for nobody knows how the others answered."""
    people = {
        SOLVER: {"school": 13, "bachelor": 18, "master": 9},
        SPYMASTER: {"school": 6, "bachelor": 11, "master": 8},
        BOTH: {"school": 0, "bachelor": 1, "master": 0},
    }

    assert withheld_cells(people) == frozenset()


def test_what_is_withheld_for_another_reason_takes_a_second_count_along() -> None:
    assert withheld_cells(one_role(13, 19, 8), also=[("solver", "bachelor")]) == {
        ("solver", "bachelor"),
        ("solver", "master"),
    }


def test_no_people_have_nothing_to_hide() -> None:
    assert withheld_cells({}) == frozenset()


def test_many_roles_are_looked_through_in_bounded_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only exchanges of people who gave the answers are tried, and none where nothing is in doubt."""
    tried, exchanges = 0, cells._exchanges

    def count(*given: Any) -> Iterator[Any]:
        nonlocal tried
        for exchange in exchanges(*given):
            tried += 1
            yield exchange

    monkeypatch.setattr(cells, "_exchanges", count)
    random = Random(3)
    people: dict[Roles, dict[str, int]] = {}
    for _ in range(100):
        roles = frozenset(random.sample("abcdef", random.choice([1, 1, 1, 1, 2, 2, 3])))
        people.setdefault(roles, dict.fromkeys("vwxyz", 0))[random.choice("vwxyz")] += 1

    cells.withheld_cells(people)

    assert tried < 5_000


def people_of(sizes: Collection[tuple[Roles, tuple[int, ...]]]) -> People:
    return {roles: dict(zip(ANSWERS, counts, strict=True)) for roles, counts in sizes}


ONE_COLUMN = st.tuples(*[st.integers(0, 9)] * 3).map(lambda counts: people_of([(SOLVER, counts)]))
FEW = st.tuples(*[st.integers(0, 2)] * 3)
MANY = st.sampled_from([(5, 0, 0), (0, 5, 1), (5, 5, 0), (1, 6, 0), (4, 2, 1), (0, 0, 7), (2, 2, 2)])
TWO_COLUMNS = st.tuples(MANY | FEW, MANY | FEW, FEW).map(
    lambda counts: people_of(list(zip((SOLVER, SPYMASTER, BOTH), counts, strict=True)))
)
NESTED = st.tuples(MANY | FEW, MANY).map(
    lambda counts: people_of(list(zip((SOLVER, BOTH), counts, strict=True)))
)


@settings(max_examples=100)
@given(people=ONE_COLUMN | NESTED | TWO_COLUMNS, unsaid=st.sampled_from(["", "school"]))
def test_no_small_count_can_be_worked_out(people: People, unsaid: str) -> None:
    """Each small count of a role, or of those with exactly the same roles, could be another one."""
    hidden = withheld_cells(people, unsaid=unsaid)

    left_open = possible_counts(people, hidden)

    known = {
        about
        for about, count in true_counts(people).items()
        if about[1] != unsaid and size_of(people, about[0]) and len(left_open[about]) < 2
        if 0 < count < FEWEST or size_of(people, about[0]) < FEWEST
    }
    assert known == set()


@given(people=ONE_COLUMN)
def test_what_is_shown_is_five_or_more_and_what_is_withheld_together_is_too(people: People) -> None:
    hidden, counts = withheld_cells(people), counts_by_role(people)
    together = sum(count for cell, count in counts.items() if cell in hidden)

    assert all(count >= FEWEST or not count for cell, count in counts.items() if cell not in hidden)
    assert not hidden or together >= FEWEST or hidden == set(counts)


def size_of(people: People, about: str) -> int:
    """How many people a role has, or are of exactly the same roles."""
    return sum(
        sum(counts.values())
        for roles, counts in people.items()
        if about in roles or about == f"only {' and '.join(sorted(roles))}"
    )
