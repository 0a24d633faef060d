"""The published figures of who took part in a study, by role: exact, and withheld where they are of few."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean, pstdev
from typing import Any

from qualifications.domain.about_people import AGE, CHOICES
from qualifications.domain.withheld_cells import FEWEST, Cell, Roles, counts_by_role, withheld_cells
from qualifications.domain.withheld_means import roles_with_means

# The answer of those who were not asked, or would rather not say. No figure has it.
NOT_SAID = ""
# The most roles whose people are taken together when two counts are compared.
MOST_TOGETHER = 3
# {role: {"workers": 41, "age": [41, 10], "education": {"school": 13, ...}, ...}}; None: withheld.
Figures = Mapping[str, Mapping[str, Any]]
# The marks of people, by role.
Members = Mapping[str, Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Person:
    """A person who took part. `mark` is another one as soon as the person's answers are other ones."""

    mark: str
    roles: Roles
    answers: Mapping[str, int | str] = field(default_factory=dict)


def members_of(people: Sequence[Person]) -> dict[str, list[str]]:
    """The marks of each role's people, by which one count is compared with another."""
    roles = sorted({role for person in people for role in person.roles})
    return {role: sorted(person.mark for person in people if role in person.roles) for role in roles}


def differs_by_few(members: Members, earlier: Members) -> bool:
    """Whether people of one count differ from those of an earlier one, by fewer than five either way.

    Compared are those of each role, and of two or three roles together, for columns can be summed up before
    they are subtracted. Three people who are replaced by three others are three. A role of which nothing is
    published has no part in this.
    """
    before = _taken_together(earlier)
    return any(
        0 < max(len(own), len(other)) - len(own & other) < FEWEST
        for own in _taken_together(members)
        for other in before
        if abs(len(own) - len(other)) < FEWEST
    )


def _taken_together(members: Members) -> set[frozenset[str]]:
    """The people of each role that is published, and those of two or three of them together."""
    published = {frozenset(people) for people in members.values() if len(people) >= FEWEST}
    return {
        frozenset().union(*some)
        for size in range(1, MOST_TOGETHER + 1)
        for some in combinations(published, size)
    }


def figures_of(
    people: Sequence[Person], *, earlier: Sequence[Figures] = (), aged_before: Sequence[Members] = ()
) -> dict[str, dict[str, Any]]:
    """The figures that may be published.

    `earlier`: those that were published of the same study before. `aged_before`: what `aged_of` returned for
    each earlier count.
    """
    sizes = Counter(role for person in people for role in person.roles)
    ages = _ages(people, aged_before)
    found: dict[str, dict[str, Any]] = {
        role: {"workers": size if size >= FEWEST else None, AGE: ages.get(role)}
        for role, size in sizes.items()
    }
    for question, answers in CHOICES.items():
        counted = _counted(people, question, answers)
        counts = counts_by_role(counted)
        before = [_cells(figures, question) for figures in earlier]
        hidden = withheld_cells(counted, also=_nearly_the_same(counts, before), unsaid=NOT_SAID)
        for role in sizes:
            found[role][question] = {
                answer: None if (role, answer) in hidden else counts[role, answer] for answer in answers
            }
    return found


def aged_of(people: Sequence[Person], figures: Figures) -> dict[str, list[str]]:
    """The marks of those whose ages are in the mean of a role, of each role whose mean is published."""
    told = members_of([person for person in people if AGE in person.answers])
    return {role: told[role] for role, about in figures.items() if about[AGE]}


def _counted(people: Sequence[Person], question: str, answers: Sequence[str]) -> dict[Roles, dict[str, int]]:
    found: dict[Roles, dict[str, int]] = {}
    for person in people:
        counts = found.setdefault(person.roles, dict.fromkeys((*answers, NOT_SAID), 0))
        counts[str(person.answers.get(question, NOT_SAID))] += 1
    return found


def _cells(figures: Figures, question: str) -> dict[Cell, int]:
    """The counts of a question that were published."""
    return {
        (role, answer): count
        for role, about in figures.items()
        for answer, count in about.get(question, {}).items()
        if count is not None
    }


def _nearly_the_same(counts: Mapping[Cell, int], before: Sequence[Mapping[Cell, int]]) -> set[Cell]:
    """Cells that would say, beside an earlier count, how few of those who came since gave an answer."""
    return {
        cell
        for cell, count in counts.items()
        for earlier in before
        if cell in earlier and 0 < abs(count - earlier[cell]) < FEWEST
    }


def _ages(people: Sequence[Person], before: Sequence[Members]) -> dict[str, list[int]]:
    """Mean and standard deviation of the ages in whole years, by role, where both may be published.

    A deviation of nothing would be everybody's age.
    """
    told = [person for person in people if AGE in person.answers]
    found = {}
    for role in _roles_with_ages(told, before):
        ages = [int(person.answers[AGE]) for person in told if role in person.roles]
        mean, deviation = round(fmean(ages)), round(pstdev(ages))
        if deviation:
            found[role] = [mean, deviation]
    return found


def _roles_with_ages(told: Sequence[Person], before: Sequence[Members]) -> Members:
    """Roles whose mean age may be shown beside those of earlier counts; of two that clash, the larger one."""
    members = members_of(told)
    shown = roles_with_means(Counter(person.roles for person in told))
    kept: dict[str, Sequence[str]] = {}
    for role in sorted(shown, key=lambda role: (-len(members[role]), role)):
        tried = {**kept, role: members[role]}
        if not any(differs_by_few(tried, earlier) for earlier in before):
            kept = tried
    return kept
