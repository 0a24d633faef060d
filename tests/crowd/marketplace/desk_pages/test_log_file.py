import json
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from crowd.marketplace.models.parties import AuditEntry
from tests.crowd.marketplace.desk import Desk

pytestmark = pytest.mark.django_db


def make_entry(desk: Desk, what: str, day: int) -> None:
    AuditEntry.objects.create(
        operator=desk.operator, token=uuid4(), what=what, done_at=datetime(2026, 11, day, tzinfo=UTC)
    )


def test_log_is_taken_as_a_file_by_its_search_and_of_some_days(desk: Desk) -> None:
    for day in (1, 2, 3, 4):
        make_entry(desk, "key made", day)
    make_entry(desk, "paid", 3)

    lines = desk.get("log/file.jsonl?q=key&first=2026-11-02&last=2026-11-03").getvalue().decode().splitlines()

    found = [json.loads(line) for line in lines]
    assert [(row["action"], row["at"][:10]) for row in found] == [
        ("key made", "2026-11-03"),
        ("key made", "2026-11-02"),
    ]
    assert found[0]["operator"] == desk.operator.sign_in_name


def test_log_is_taken_as_csv(desk: Desk) -> None:
    make_entry(desk, "=1+1", 1)

    lines = desk.get("log/file.csv?first=not-a-day").getvalue().decode().splitlines()

    assert lines[0].endswith("number,at,operator,action,about,note")
    assert "'=1+1" in lines[1]


def test_log_has_no_other_form(desk: Desk) -> None:
    assert desk.get("log/file.xml").status_code == 404
