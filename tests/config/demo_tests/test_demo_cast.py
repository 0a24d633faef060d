"""The people and the study that a demo begins with."""

import pytest

from crowd.demo.demo_people import make_cast
from hits.ledger.queries import checks_of, entries_of, movements, statement_of

pytestmark = pytest.mark.django_db


def test_books_of_a_demo_hold_from_the_first_moment() -> None:
    study = make_cast(workers=1, bonus_rules=[]).study

    checks = checks_of(study, statement_of(movements(entries_of([study]))))

    assert {check.words: (check.ours, check.theirs) for check in checks if check.ours != check.theirs} == {}
