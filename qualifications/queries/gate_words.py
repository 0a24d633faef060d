"""Sentences about a gate for researchers: its test, what it opens, and when it is passed."""

from typing import Any

from django.utils.text import get_text_list

from hits import families
from hits.common.percentages import percentage
from qualifications.domain import gate_rules
from qualifications.models import Gate


def task_name(key: str) -> str:
    """Name of a task, or the key of a task that is not installed here."""
    known = families.registered()
    return known[key].name if key in known else key


def opens_in_words(gate: Gate) -> str:
    return get_text_list([task_name(key) for key in gate.opens], "and") or "nothing yet"


def test_in_words(gate: Gate) -> str:
    if gate.grading == Gate.Grading.PROVIDER:
        return "the provider's own test"
    return task_name(gate.test_task)


def passed_in_words(gate: Gate) -> str:
    """When the gate is passed: "when the mean of ‘right’ over at least 10 items is above 80 %"."""
    if gate.grading == Gate.Grading.PERSON:
        return "when a person says so"
    if gate.grading == Gate.Grading.PROVIDER:
        return f"when the provider's score is above {gate.passing_value}"
    bounds = [bound_in_words(bound, items=gate.items) for bound in gate.bounds]
    return f"when {get_text_list(bounds, 'and')}" if bounds else "never by itself: no rule can be read"


def bound_in_words(bound: gate_rules.Bound, *, items: int) -> str:
    return f"the mean of {_measure(bound.measure)} over at least {items} items is {limit_in_words(bound)}"


def _measure(key: str) -> str:
    """The measure by its key, with what workers read of it where it has a name."""
    name = families.measure_name(key)
    return f"‘{key}’" if name == key.replace("_", " ") else f"‘{key}’ ({name})"


def limit_in_words(bound: gate_rules.Bound) -> str:
    return f"{'above' if bound.strictly else 'at least'} {bound.percent} %"


def floors_in_words(gate: Gate) -> list[str]:
    return [
        f"Taken back when the mean of {_measure(floor.measure)} over the latest {floor.last} scores of what "
        f"it opens falls below {floor.below} %"
        for floor in gate.floor_bounds
    ]


def retest_in_words(gate: Gate) -> str:
    days = gate.retest_after_days
    if days is None:
        return "one attempt, for good"
    return f"again after {days} day{'' if days == 1 else 's'}"


def findings_in_words(rows: Any) -> list[str]:
    """Lines such as "✗ jaccard: 76.66 %, above 80 % is needed". Unreadable findings are left out."""
    found = [gate_rules.read_finding(row) for row in rows] if isinstance(rows, list) else []
    return [_finding(finding) for finding in found if finding]


def _finding(finding: gate_rules.Finding) -> str:
    sign, needed = ("✓", "") if finding.holds else ("✗", " is needed")
    limit = limit_in_words(finding.bound)
    return f"{sign} {finding.bound.measure}: {percentage(finding.mean)}, {limit}{needed}"


def words_of(gate: Gate) -> dict[str, object]:
    """The gate in sentences, for every page about it."""
    return {
        "opens": opens_in_words(gate),
        "test": test_in_words(gate),
        "passed": passed_in_words(gate),
        "floors": floors_in_words(gate),
        "retest": retest_in_words(gate),
    }
