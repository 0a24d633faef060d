"""Requests that no page of the payments would send are refused or find nothing, and never fail."""

import csv
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from hits.common.spreadsheets import csv_line, harmless
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.payments.models.runs import Run
from hits.payments.services import bonus_runs, payment_outcomes, run_rows
from tests.factories import NOW, make_bonus, make_study, make_user
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
ODD = ("-1", "9" * 30, "\x00", "9999-12-31", "0001-01-01", "9999-12", "nan", "1e999", "'; DROP TABLE x; --")
NAMES = (
    "page", "study", "state", "q", "since", "until", "kind", "batch", "before", "account", "cause", "month",
    "rule", "worker", "least", "most", "days", "into", "difference", "work", "who", "about", "waiting",
)  # fmt: skip


@pytest.fixture
def staff(client: Client) -> User:
    user = make_user(is_superuser=True)
    client.force_login(user)
    return user


def addresses() -> list[str]:
    study = make_study()
    of_study = reverse("admin:hits_ledger_study", args=[study.pk])
    names = ("payments", "payment_queue", "halts", "close", "run_prepare", "difference_changelist")
    lists = ("auditevent", "appeal", "bonus", "run", "match", "ledgerentry")
    return [
        of_study,
        *(reverse(f"admin:hits_{name}") for name in names),
        *(reverse(f"admin:hits_{name}_changelist") for name in lists),
    ]


def test_no_address_makes_a_page_of_payments_fail(client: Client, staff: User) -> None:
    client.raise_request_exception = False

    failed = [
        (address, value)
        for address in addresses()
        for value in ODD
        if client.get(address, dict.fromkeys(NAMES, value)).status_code >= 500
    ]

    assert failed == []


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01"])
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Niue"])
def test_day_that_no_clock_can_reckon_leaves_nothing_out(
    client: Client, staff: User, day: str, zone: str
) -> None:
    books = reverse("admin:hits_ledger_study", args=[make_study(time_zone=zone).pk])
    log = reverse("admin:hits_auditevent_changelist")

    answers = [
        client.get(books, {"since": day, "until": day}).status_code,
        client.post(books, {"since": day, "until": day}).status_code,
        client.get(log, {"q": day}).status_code,
    ]

    assert answers == [200, 200, 200]


@pytest.mark.parametrize(
    ("name", "field"),
    [("auditevent", "study"), ("ledgerentry", "batch"), ("ledgerentry", "pk__in"), ("appeal", "worker")],
)
def test_number_that_no_row_can_have_is_refused(client: Client, staff: User, name: str, field: str) -> None:
    answer = client.get(reverse(f"admin:hits_{name}_changelist"), {field: "9" * 30})

    assert answer.status_code == 400


@pytest.mark.parametrize("text", ["A\0B", "A\x07B"])
def test_unseen_characters_are_refused_wherever_a_run_takes_words(staff: User, text: str) -> None:
    bonuses = [make_bonus(status="owed", rule=rule) for rule in ("one", "two")]
    run = bonus_runs.prepare_run(bonuses=bonuses, by=staff, title="A run", now=NOW)
    acts: list[Callable[[], Any]] = [
        lambda: bonus_runs.prepare_run(bonuses=bonuses, by=staff, title=text, now=NOW),
        lambda: bonus_runs.prepare_run(bonuses=bonuses, by=staff, title="Fine", note=text, now=NOW),
        lambda: run_rows.split_run(run=run, bonuses=bonuses[:1], title=text, by=staff, now=NOW),
        lambda: run_rows.hold_bonuses(bonuses=bonuses, reason=text, by=staff, now=NOW),
    ]

    codes = []
    for act in acts:
        with pytest.raises(RuleBroken) as refusal:
            act()
        codes.append(refusal.value.code)

    assert codes == ["no_title", "bad_note", "no_title", "no_reason"]
    assert (Run.objects.count(), run.rows.count()) == (1, 2)


@pytest.mark.parametrize("text", ["＝1+1", "\xa0=1", "\ufeff=1", "\0=1", "\x0b=1", "\u200b@SUM(A1)", " =1"])
def test_formula_behind_what_nobody_sees_is_a_text(text: str) -> None:
    (row,) = csv.reader([csv_line([text, 7])])

    assert (harmless(text), row) == (f"'{text}", [f"'{text}", "7"])


def test_payment_that_names_two_bonuses_pays_the_one_whose_reference_stands_last(turk: StubbedTurk) -> None:
    first = make_bonus(status="unknown", sending_at=NOW - timedelta(hours=1))
    work = first.assignment
    words = f"As agreed [ref {first.token}]."
    other = make_bonus(assignment=work, rule="other", reason=words, status="sent", sent_at=NOW)
    turk.assignments[work.external_id] = {"HITId": work.hit.external_id}
    turk.bonuses.append(
        {
            "AssignmentId": work.external_id,
            "WorkerId": work.worker.external_id,
            "BonusAmount": "0.01",
            "Reason": other.reason_with_reference,
        }
    )

    payment_outcomes.settle_hit(hit=work.hit, provider=turk.provider, now=NOW)

    first.refresh_from_db()
    other.refresh_from_db()
    assert (first.status, other.status) == ("approved", "confirmed")
