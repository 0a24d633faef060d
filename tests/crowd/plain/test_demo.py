"""The demo as a newcomer runs it: real HTTP, real workers' pages, and bonuses paid by two people."""

from pathlib import Path

import pytest

from tests.config.processes import manage, report_of, scratch_environ

# The demo has databases of its own, and takes a minute on a quiet machine.
pytestmark = [pytest.mark.pure, pytest.mark.long]
SEEDED = ("--no-serve", "--json", "--seed", "3")


def test_three_people_answer_for_each_row_and_are_paid(tmp_path: Path) -> None:
    environ = scratch_environ(tmp_path)

    report = report_of(manage("demo", "--family", "plain", *SEEDED, environ=environ, timeout=600))

    assert (report["rows"], report["answers"], report["rows_with_every_answer"]) == (8, 24, 8)
    assert report["assignments_approved"] == report["assignments_submitted"] == 12
    assert 0.5 < report["equal_pairs"] < 1
    assert report["bonus_total"] == report["marketplace_bonus_total"] == "0.12"
