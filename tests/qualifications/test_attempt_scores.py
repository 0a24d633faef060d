"""Scores of tests around their bar, against counts made by hand."""

from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hits.identity.roles import RESEARCHER
from qualifications.admin.score_charts import score_tables
from qualifications.domain.gate_rules import Bound, Finding
from qualifications.models import Attempt, Gate
from qualifications.queries import attempt_scores
from qualifications.queries.attempt_scores import scores_of
from tests.factories import NOW, make_worker
from tests.pages import text_of
from tests.people import sign_in
from tests.qualifications.gates import make_gate, toys  # noqa: F401 - a fixture

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]
BAR = Bound(measure="right", percent=80, strictly=True)


def grade(gate: Gate, *means: Fraction, bar: Bound = BAR) -> None:
    """Make an attempt for each mean, graded by this bar."""
    for mean in means:
        finding = Finding(bound=bar, mean=mean, count=10)
        status = Attempt.Status.PASSED if finding.holds else Attempt.Status.FAILED
        Attempt.objects.create(
            gate=gate,
            worker=make_worker(),
            status=status,
            findings=[finding.as_json()],
            started_at=NOW,
            handed_in_at=NOW,
            graded_at=NOW,
        )


def counts(gate: Gate) -> dict[int, tuple[int, int]]:
    [scores] = scores_of(gate)
    return {step.low: (step.met, step.missed) for step in scores.steps if step.met or step.missed}


def make_strict_gate() -> Gate:
    return make_gate(rules=[{"measure": "right", "above": 80}])


def test_attempts_are_counted_by_steps_and_by_what_their_bar_said() -> None:
    gate = make_strict_gate()
    grade(gate, Fraction(0), Fraction(79, 100), Fraction(8, 10), Fraction(81, 100), Fraction(89, 100))
    grade(gate, Fraction(9, 10), Fraction(1), Fraction(1))
    grade(make_strict_gate(), Fraction(1, 2))

    assert counts(gate) == {0: (0, 1), 70: (0, 1), 80: (2, 1), 90: (3, 0)}


def test_who_was_graded_before_the_bar_was_changed_counts_by_the_bar_of_then() -> None:
    gate = make_strict_gate()
    grade(gate, Fraction(6, 10), bar=Bound(measure="right", percent=50, strictly=True))

    assert counts(gate) == {60: (1, 0)}


def test_attempts_that_are_not_graded_or_hold_nothing_readable_are_left_out() -> None:
    gate = make_strict_gate()
    grade(gate, Fraction(1))
    unreadable: list[Any] = [[], [{"measure": "right"}], ["nonsense"], {}]
    for findings in unreadable:
        Attempt.objects.create(
            gate=gate, worker=make_worker(), status="passed", findings=findings, started_at=NOW, graded_at=NOW
        )
    Attempt.objects.create(gate=gate, worker=make_worker(), status="waiting", started_at=NOW)

    assert counts(gate) == {90: (1, 0)}


def test_only_the_newest_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt_scores, "MOST", 2)
    gate = make_strict_gate()
    grade(gate, Fraction(0), Fraction(1), Fraction(9, 10))

    assert counts(gate) == {90: (2, 0)}


def test_a_gate_without_graded_tests_has_no_chart() -> None:
    assert score_tables(make_strict_gate()) == []


def test_the_page_of_a_gate_has_the_chart_and_its_table_in_one_query(client: Client) -> None:
    gate = make_strict_gate()
    sign_in(client, RESEARCHER, gate.study)
    address, queries = reverse("admin:qualifications_gate_change", args=[gate.pk]), []
    grade(gate, Fraction(1))
    for more in (0, 20):
        grade(gate, *[Fraction(1, 2)] * more)
        with CaptureQueriesContext(connection) as asked:
            page = text_of(client.get(address))
        queries.append(len(asked))

    assert queries[0] == queries[1]
    assert (
        "21 tests by their score in steps of 10 per cent; the bar is 80 per cent, and 1 met theirs." in page
    )
    assert "Scores of tests: right" in page
