"""A mean of a role is shown if five people stand behind it, and if it reveals none of fewer people."""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from qualifications.domain.withheld_cells import FEWEST, Roles

Row = list[Fraction]


def roles_with_means(people: Mapping[Roles, int]) -> set[str]:
    """Roles whose mean may be shown. `people`: by exactly their roles, how many of them the means count.

    A mean and the number behind it give a sum, and sums of roles that share people can be subtracted. While
    some combination of the sums is about fewer than five people, the smallest of their roles is left out.
    """
    present = {roles: count for roles, count in people.items() if count}
    sizes: dict[str, int] = {}
    for roles, count in present.items():
        for role in roles:
            sizes[role] = sizes.get(role, 0) + count
    shown = {role for role, size in sizes.items() if size >= FEWEST}
    while few := _revealed(present, shown):
        concerned = {role for roles in few for role in roles} & shown
        shown.discard(min(concerned, key=lambda role: (sizes[role], role)))
    return shown


def _revealed(people: Mapping[Roles, int], shown: Collection[str]) -> Collection[Roles]:
    """Combinations of roles of fewer than five people about whom the shown sums say something; or nothing."""
    small = [roles for roles, count in people.items() if count < FEWEST and roles & set(shown)]
    ordered = sorted(shown)
    whole = _rank([[Fraction(role in roles) for roles in people] for role in ordered])
    for size in range(1, FEWEST):
        for few in combinations(small, size):
            if sum(people[roles] for roles in few) >= FEWEST:
                continue
            others = [roles for roles in people if roles not in few]
            if _rank([[Fraction(role in roles) for roles in others] for role in ordered]) < whole:
                return few
    return ()


def _rank(rows: Sequence[Row]) -> int:
    """How many of the rows are no combination of the others."""
    left, rank = [list(row) for row in rows], 0
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((place for place in range(rank, len(left)) if left[place][column]), None)
        if pivot is None:
            continue
        left[rank], left[pivot] = left[pivot], left[rank]
        for place in range(rank + 1, len(left)):
            factor = left[place][column] / left[rank][column]
            pairs = zip(left[place], left[rank], strict=True)
            left[place] = [mine - factor * theirs for mine, theirs in pairs]
        rank += 1
    return rank
