"""A table of people withholds small counts, and those that would reveal them by subtraction.

A table has a column for each role and a row for each answer. One person may have had several roles, so
columns can be subtracted from one another too. Everybody may know who had which role: only answers are
protected. What stays hidden is shown by example: for every small count there is another table of people with
the same published figures, in which that count is another one.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

# A count of fewer people than this is withheld.
FEWEST = 5
Cell = tuple[str, str]
# The roles that a person had.
Roles = frozenset[str]
# Of the people with exactly these roles, how many gave each answer.
People = Mapping[Roles, Mapping[str, int]]
# People with several combinations of roles.
Group = frozenset[Roles]
# People to move from one answer to another, and people to move the other way.
Exchange = tuple[Sequence[Roles], Sequence[Roles]]
# The most combinations of roles of which people are moved one way in one exchange.
MOST_MOVED = 2


def counts_by_role(people: People) -> dict[Cell, int]:
    """The true count of each cell; every answer that anybody could give is a row."""
    found: dict[Cell, int] = {}
    for roles, answers in people.items():
        for role in roles:
            for answer, count in answers.items():
                found[role, answer] = found.get((role, answer), 0) + count
    return found


def withheld_cells(people: People, *, also: Collection[Cell] = (), unsaid: str = "") -> frozenset[Cell]:
    """Cells that are not published.

    `also`: cells that are withheld whatever their counts. `unsaid`: the answer of those who gave none. It is
    never shown and protects the others, for the answers of a role sum up to all who had it, which is known.
    That somebody gave no answer is no secret itself.

    A nought is shown only where nothing of its role is withheld, so that elsewhere it looks like a small one.
    """
    present = {roles: answers for roles, answers in people.items() if sum(answers.values())}
    counts = counts_by_role(people)
    silent = {cell for cell in counts if cell[1] == unsaid}
    hidden = {cell for cell, count in counts.items() if 0 < count < FEWEST and cell not in silent} | set(also)
    while True:
        touched = {role for role, _ in hidden}
        hidden |= {cell for cell, count in counts.items() if not count and cell[0] in touched}
        cell = _next_to_hide(present, counts, hidden, silent)
        if cell is None:
            return frozenset(hidden | silent)
        hidden.add(cell)


def _next_to_hide(
    people: People, counts: Mapping[Cell, int], hidden: Collection[Cell], silent: Collection[Cell]
) -> Cell | None:
    """A shown cell whose count, with the other shown ones, would reveal something small; None if none does.

    The smallest one that helps is taken, so that as little as possible is lost.
    """
    shown = {cell: count for cell, count in counts.items() if cell not in hidden and cell not in silent}
    if not shown:
        return None
    for role in sorted({role for role, _ in hidden}):
        own = {cell: count for cell, count in shown.items() if cell[0] == role}
        rest = [count for cell, count in counts.items() if cell[0] == role and cell not in own]
        if own and (len(rest) == 1 or sum(rest) < FEWEST):
            return _smallest(own)
    revealed = _first_revealed(people, shown, silent)
    if revealed is None:
        return None
    group, answer = revealed
    roles = {role for one in group for role in one}
    same_row = {cell: count for cell, count in shown.items() if cell[0] in roles and cell[1] == answer}
    same_roles = {cell: count for cell, count in shown.items() if cell[0] in roles}
    return _smallest(same_row or same_roles or shown)


def _smallest(cells: Mapping[Cell, int]) -> Cell:
    return min(cells, key=lambda cell: (cells[cell], cell))


def _first_revealed(
    people: People, shown: Collection[Cell], silent: Collection[Cell]
) -> tuple[Group, str] | None:
    """A group and an answer that few of it gave, for which no other count could be found."""
    answers = sorted({answer for given in people.values() for answer in given})
    secret = set(answers) - {answer for _, answer in silent}
    unsafe = {
        (group, answer) for group in _groups(people) for answer in secret if _is_small(people, group, answer)
    }
    for one, other in combinations(answers, 2):
        pending = {found for found in unsafe if found[1] in (one, other)}
        if pending:
            roles_shown = {role for role, answer in shown if answer in (one, other)}
            unsafe -= pending
            unsafe |= _unchanged(pending, _exchanges(people, one, other, roles_shown))
    return min(unsafe, key=lambda found: (sorted(map(sorted, found[0])), found[1])) if unsafe else None


def _is_small(people: People, group: Group, answer: str) -> bool:
    """Whether the count is of few people; that none of a few people gave an answer says something as well."""
    count = sum(people[roles].get(answer, 0) for roles in group)
    size = sum(sum(people[roles].values()) for roles in group)
    return 0 < count < FEWEST or size < FEWEST


def _groups(people: People) -> set[Group]:
    """Groups that somebody could single out: a role, two roles together, and one without another."""
    roles = sorted({role for one in people for role in one})
    held = {role: frozenset(one for one in people if role in one) for role in roles}
    found = {frozenset((one,)) for one in people} | set(held.values())
    for one in roles:
        for other in roles:
            found |= {held[one] & held[other], held[one] - held[other]}
    return {group for group in found if group}


def _unchanged(
    counts: Collection[tuple[Group, str]], exchanges: Iterator[Exchange]
) -> set[tuple[Group, str]]:
    """Counts that none of the exchanges changes."""
    left = list(counts)
    while left and (exchange := next(exchanges, None)):
        away, back = map(frozenset, exchange)
        left = [found for found in left if len(found[0] & away) == len(found[0] & back)]
    return set(left)


def _exchanges(people: People, one: str, other: str, shown: Collection[str]) -> Iterator[Exchange]:
    """Moves of people between two answers that leave the counts of these roles as they are."""
    leaving, coming = (
        _moves_by_effect([roles for roles in people if people[roles].get(answer, 0)], shown)
        for answer in (one, other)
    )
    for effect, alike in leaving.items():
        for away in alike:
            for back in coming.get(effect, ()):
                if not set(away) & set(back):
                    yield away, back


def _moves_by_effect(
    movable: Collection[Roles], shown: Collection[str]
) -> dict[tuple[str, ...], list[tuple[Roles, ...]]]:
    """Whom to move, by the shown roles whose counts it changes."""
    found: dict[tuple[str, ...], list[tuple[Roles, ...]]] = {}
    ordered = sorted(movable, key=sorted)
    for size in range(MOST_MOVED + 1):
        for moved in combinations(ordered, size):
            effect = tuple(sorted(role for roles in moved for role in roles if role in shown))
            found.setdefault(effect, []).append(moved)
    return found
