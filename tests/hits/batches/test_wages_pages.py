"""The wages page of a batch: what it says, who may propose, and that a refused request changes nothing."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hits.batches.services import batch_counters
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import AUTHOR, PAYMENTS_PREPARER, ROLES
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from tests.factories import NOW
from tests.hits.batches.test_hourly_pay import make_paid
from tests.pages import text_of
from tests.people import sign_in, sign_in_with

pytestmark = pytest.mark.django_db


def url(batch: Batch, name: str = "hits_wages") -> str:
    return reverse(f"admin:{name}", args=[batch.pk])


def confirm(client: Client, batch: Batch, **changes: str) -> Any:
    data = {"confirmed": "yes", "count": "2", "total": "0.84", **changes}
    return client.post(url(batch, "hits_wages_propose"), data, follow=True)


def written() -> tuple[int, int, int, Decimal]:
    study = Study.objects.get()
    return Bonus.objects.count(), LedgerEntry.objects.count(), AuditEvent.objects.count(), study.reserved


def test_wages_page_says_who_lacks_what(client: Client) -> None:
    batch = make_paid(360, 250, 100)
    sign_in(client, PAYMENTS_PREPARER, batch.study)

    page = client.get(url(batch))

    work = Assignment.objects.get(active_s=360)
    assert [
        (row["row"].assignment.pk, row["row"].amount, row["time"]) for row in page.context["lacking"]
    ] == [
        (work.pk, Decimal("0.60"), "6 min"),
        (Assignment.objects.get(active_s=250).pk, Decimal("0.24"), "4 min 10 s"),
    ]
    assert work.worker.pseudonym in text_of(page)
    assert "More than one in ten earns less than the floor." in text_of(page)
    assert "Propose 2 top-ups…" in text_of(page)


def test_wages_page_names_no_provider_id(client: Client) -> None:
    batch = make_paid(360)
    sign_in(client, PAYMENTS_PREPARER, batch.study)
    work = Assignment.objects.get()

    pages = text_of(client.get(url(batch))) + text_of(client.get(url(batch, "hits_wages_propose")))

    assert work.worker.external_id not in pages
    assert work.external_id not in pages


@pytest.mark.parametrize(
    ("seconds", "floor", "words"),
    [
        ((), "12.00", "Nothing to count yet."),
        ((360,), None, "The study has no wage floor."),
        ((100, 120), "12.00", "Everybody earns the floor of $12.00 an hour or more."),
        ((100,) * 19 + (190,), "12.00", "Nine of ten earn the floor of $12.00 an hour or more."),
    ],
    ids=["no work", "no floor", "all above", "few below"],
)
def test_wages_page_says_how_it_stands(
    client: Client, seconds: tuple[int, ...], floor: str | None, words: str
) -> None:
    batch = make_paid(*seconds, floor=None if floor is None else Decimal(floor))
    sign_in(client, PAYMENTS_PREPARER, batch.study)

    assert words in text_of(client.get(url(batch)))


def test_wages_page_takes_a_bounded_number_of_queries(client: Client) -> None:
    batch = make_paid(*range(200, 270))
    sign_in(client, PAYMENTS_PREPARER, batch.study)

    with CaptureQueriesContext(connection) as queries:
        page = client.get(url(batch))

    assert len(page.context["lacking"]) == 50
    assert "The 50 that lack most are shown, of 70." in text_of(page)
    assert len(queries) <= 10


def test_propose_asks_before_anything_is_owed(client: Client) -> None:
    batch = make_paid(360, 250)
    sign_in(client, PAYMENTS_PREPARER, batch.study)
    before = written()

    asked = [client.get(url(batch, "hits_wages_propose")), client.post(url(batch, "hits_wages_propose"))]

    for page in asked:
        assert "2 submissions are lifted to $12.00 an hour." in text_of(page)
        assert "this lifts your pay to $12.00 an hour." in text_of(page)
        assert "No money moves yet." in text_of(page)
    assert written() == before


def test_propose_owes_and_says_what_comes_next(client: Client) -> None:
    batch = make_paid(360, 250)
    sign_in(client, PAYMENTS_PREPARER, batch.study)

    page = confirm(client, batch)

    assert sorted(Bonus.objects.values_list("amount", "status")) == [
        (Decimal("0.24"), "owed"),
        (Decimal("0.60"), "owed"),
    ]
    assert "2 top-ups are owed now, $0.84 in all." in text_of(page)
    assert "Top-ups so far" in text_of(page)
    assert page.redirect_chain == [(url(batch), 302)]


def test_propose_pressed_twice_owes_once(client: Client) -> None:
    batch = make_paid(360, 250)
    sign_in(client, PAYMENTS_PREPARER, batch.study)
    confirm(client, batch)
    before = written()

    page = confirm(client, batch)

    assert "Nothing was proposed." in text_of(page)
    assert written() == before


@pytest.mark.parametrize(
    "changes",
    [
        {"total": "0.83"},
        {"count": "3"},
        {"total": "NaN"},
        {"total": ""},
        {"count": "-1"},
        {"count": "9" * 30},
    ],
    ids=str,
)
def test_propose_of_something_else_than_was_asked_owes_nothing(
    client: Client, changes: dict[str, str]
) -> None:
    batch = make_paid(360, 250)
    sign_in(client, PAYMENTS_PREPARER, batch.study)
    before = written()

    page = confirm(client, batch, **changes)

    assert (page.status_code, written()) == (200, before)


def test_propose_beyond_the_budget_owes_nothing_and_says_so(client: Client) -> None:
    batch = make_paid(360, 250, budget=Decimal("0.50"))
    sign_in(client, PAYMENTS_PREPARER, batch.study)
    before = written()

    asked, done = client.get(url(batch, "hits_wages_propose")), confirm(client, batch)

    assert "That is more than is left." in text_of(asked)
    assert "This needs $0.84" in text_of(done)
    assert written() == before


def test_propose_with_nothing_lacking_leads_back(client: Client) -> None:
    batch = make_paid(100)
    sign_in(client, PAYMENTS_PREPARER, batch.study)

    page = client.get(url(batch, "hits_wages_propose"), follow=True)

    assert (page.redirect_chain, "nothing to propose" in text_of(page)) == ([(url(batch), 302)], True)


@pytest.mark.parametrize("role", sorted({*ROLES} - {AUTHOR}))
def test_only_who_prepares_runs_may_propose(client: Client, role: str) -> None:
    batch = make_paid(360, 250)
    sign_in(client, role, batch.study)
    before = written()

    shown, done = client.get(url(batch)), confirm(client, batch)

    may = role == PAYMENTS_PREPARER
    assert (shown.status_code, "Propose 2" in text_of(shown)) == (200, may)
    assert (done.status_code, Bonus.objects.count()) == ((200, 2) if may else (403, 0))
    assert may or written() == before


def test_a_batch_of_another_study_does_not_exist(client: Client) -> None:
    batch = make_paid(360, 250)
    sign_in(client, PAYMENTS_PREPARER)
    before = written()

    statuses = [
        client.get(url(batch)).status_code,
        client.get(url(batch, "hits_wages_propose")).status_code,
        confirm(client, batch).status_code,
    ]

    assert (statuses, written()) == ([404] * 3, before)


def test_who_may_see_no_batches_sees_no_wages(client: Client) -> None:
    batch = make_paid(360, 250)
    sign_in_with(client, "prepare_run", studies=[batch.study])
    before = written()

    statuses = [client.get(url(batch)).status_code, confirm(client, batch).status_code]

    assert (statuses, written()) == ([403, 403], before)


def test_propose_wants_a_csrf_token() -> None:
    batch = make_paid(360, 250)
    client = Client(enforce_csrf_checks=True)
    sign_in(client, PAYMENTS_PREPARER, batch.study)
    before = written()

    assert (confirm(client, batch).status_code, written()) == (403, before)


def test_live_view_warns_and_leads_to_the_wages(client: Client) -> None:
    batch = make_paid(360, 360)
    sign_in(client, PAYMENTS_PREPARER, batch.study)
    batch_counters.refresh(batch=batch, now=NOW)

    page = client.get(reverse("admin:hits_batch_live", args=[batch.pk]))

    assert "With bonuses, more than one in ten still earns less than the floor" in text_of(page)
    assert url(batch) in text_of(page)
