"""The pages of the three-way match: who sees what, what each button does, and what it refuses."""

import json
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hits.core.models.audit_events import AuditEvent
from hits.payments.models.matches import Deposit, Difference, Match
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_batch,
    make_bonus,
    make_hit,
    make_user,
)
from tests.pages import text_of
from tests.people import sign_in_with
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
SEE = ("view_match", "view_difference", "view_deposit")
MOST_QUERIES = 10


@pytest.fixture
def batch() -> Batch:
    return make_batch(status="complete")


def url(name: str, *args: object) -> str:
    return reverse(f"admin:hits_{name}", args=args)


def make_match(account: Account, **changes: Any) -> Match:
    values: dict[str, Any] = {
        "status": "done",
        "started_at": NOW,
        "ended_at": NOW,
        "balance": Decimal(90),
        "expected_balance": Decimal(90),
        "figures": dict.fromkeys(("deposits", "held", "rewards", "bonuses", "explained"), "0.00"),
    }
    return Match.objects.create(account=account, **{**values, **changes})


def make_difference(batch: Batch, *, cause: str = "not_listed", **changes: Any) -> Difference:
    match = Match.objects.filter(account=batch.account).first() or make_match(batch.account)
    values: dict[str, Any] = {
        "ours": Decimal("0.50"),
        "theirs": Decimal(0),
        "words": "A bonus is not listed.",
    }
    if cause != "balance":
        hit = make_hit(batch=batch)
        bonus = make_bonus(status="sent", sent_at=NOW, assignment=make_assignment(hit=hit, status="approved"))
        values |= {"hit": hit, "bonus": bonus}
    return Difference.objects.create(
        account=batch.account,
        cause=cause,
        subject=f"subject {Difference.objects.count()}",
        first_match=match,
        last_match=match,
        **{**values, **changes},
    )


def test_list_says_that_the_books_agree(client: Client, batch: Batch) -> None:
    sign_in_with(client, *SEE, "see_all_studies")
    make_match(batch.account)

    page = text_of(client.get(url("match_changelist")))

    assert "The books agree." in page
    assert batch.account.name in page
    assert "Compare now" not in page


def test_comparison_older_than_what_was_booked_says_so(client: Client, batch: Batch) -> None:
    sign_in_with(client, *SEE, "see_all_studies")
    old = make_match(batch.account)
    Deposit.objects.create(
        account=batch.account, amount=5, words="x", by=make_user(), at=NOW + timedelta(hours=1)
    )

    pages = [text_of(client.get(one)) for one in (url("match_changelist"), url("match_change", old.pk))]
    make_match(batch.account, ended_at=NOW + timedelta(hours=2))
    later = text_of(client.get(url("match_change", old.pk)))
    fresh = text_of(client.get(url("match_changelist")))

    assert "The books agreed when they were last compared.</strong> Money has moved since" in pages[0]
    assert "1 transfer was booked since this comparison: its figures are out of date." in pages[0]
    assert "1 transfer was booked since then: these figures are out of date." in pages[1]
    assert "a newer comparison, of 21 Nov 2026, 14:00 UTC" in later
    assert "The books agree.</strong>" in fresh


def test_list_shows_no_account_of_studies_that_one_does_not_see(client: Client, batch: Batch) -> None:
    hidden = make_batch(status="complete")
    make_match(hidden.account)
    sign_in_with(client, *SEE, "run_match", studies=[batch.study])

    page = text_of(client.get(url("match_changelist")))
    one = client.get(url("match_change", Match.objects.get().pk))
    started = client.post(url("match_start", hidden.account.pk))
    deposits = client.get(url("deposits", hidden.account.pk))

    assert batch.account.name in page
    assert hidden.account.name not in page
    assert [answer.status_code for answer in (one, started, deposits)] == [404, 404, 404]
    assert Match.objects.count() == 1


def test_differences_of_hidden_studies_are_not_shown(client: Client, batch: Batch) -> None:
    hidden = make_difference(make_batch(account=batch.account, status="complete"), words="A hidden one.")
    make_difference(batch, words="One to see.")
    sign_in_with(client, *SEE, studies=[batch.study])

    page = text_of(client.get(url("difference_changelist")))

    assert ("One to see." in page, "A hidden one." in page) == (True, False)
    assert client.get(url("difference_change", hidden.pk)).status_code == 404


def test_compare_now_writes_a_row_and_the_page_of_it_is_shown(client: Client, batch: Batch) -> None:
    user = sign_in_with(client, *SEE, "run_match", "see_all_studies")

    answer = client.post(url("match_start", batch.account.pk), {"scope": "full"})

    match = Match.objects.get()
    assert (match.by, match.is_full, match.status) == (user, True, "running")
    assert answer["Location"] == url("match_change", match.pk)
    page = text_of(client.get(answer["Location"]))
    assert "Comparing…" in page
    assert 'data-every="2000"' in page


def test_page_of_a_match_that_ended_asks_for_nothing_more(client: Client, batch: Batch) -> None:
    sign_in_with(client, *SEE, "see_all_studies")
    match = make_match(batch.account)

    fragment = text_of(client.get(url("match_change", match.pk), {"fragment": ""}))

    assert 'data-every="0"' in fragment
    assert "The books agree." in fragment
    assert "<html" not in fragment


def test_difference_is_closed_with_a_reason(client: Client, batch: Batch) -> None:
    user = sign_in_with(client, *SEE, "run_match", "see_all_studies")
    row = make_difference(batch)

    client.post(url("difference_change", row.pk), {"reason": "The provider found it."})

    row.refresh_from_db()
    assert (row.resolved_by, row.resolution) == (user, "The provider found it.")
    assert AuditEvent.objects.get().kind == "difference.resolved"


def test_second_to_close_a_difference_is_told_and_sees_what_was_written(client: Client, batch: Batch) -> None:
    sign_in_with(client, *SEE, "run_match", "see_all_studies")
    row = make_difference(batch)
    client.post(url("difference_change", row.pk), {"reason": "The first."})

    page = text_of(client.post(url("difference_change", row.pk), {"reason": "The <second>."}))

    row.refresh_from_db()
    assert (row.resolution, AuditEvent.objects.count()) == ("The first.", 1)
    assert "Somebody has closed it already" in page
    assert "You had written: The &lt;second&gt;." in page


def test_look_again_asks_the_payer(client: Client, batch: Batch) -> None:
    sign_in_with(client, *SEE, "run_match", "see_all_studies")
    row = make_difference(batch)

    answer = client.post(url("difference_look", row.pk), follow=True)

    assert row.bonus is not None
    row.bonus.refresh_from_db()
    assert row.bonus.look_at is not None
    assert "is being asked" in text_of(answer)


def test_balance_offers_the_deposit_that_explains_it(client: Client, batch: Batch) -> None:
    user = sign_in_with(client, *SEE, "run_match", "add_deposit", "see_all_studies")
    row = make_difference(batch, cause="balance", ours=Decimal(100), theirs=Decimal(90))
    place = url("deposits", batch.account.pk)

    asked = text_of(client.get(url("difference_change", row.pk)))
    form = client.get(place, {"difference": row.pk}).context["form"]
    client.post(place, {"kind": "out", "amount": "10.00", "words": "Back to the university"})

    row.refresh_from_db()
    assert "Record a withdrawal of $10.00…" in asked
    assert form.initial == {"kind": "out", "amount": Decimal(10)}
    deposit = Deposit.objects.get()
    assert (deposit.amount, deposit.by, row.resolved_by) == (Decimal(-10), user, user)


def test_deposit_that_cannot_be_read_is_refused_with_words(client: Client, batch: Batch) -> None:
    sign_in_with(client, *SEE, "add_deposit", "see_all_studies")

    page = client.post(url("deposits", batch.account.pk), {"kind": "in", "amount": "-1", "words": ""})

    assert (page.status_code, Deposit.objects.count()) == (200, 0)
    assert 'role="alert"' in text_of(page)


ACTS: dict[str, Callable[[Difference], tuple[str, dict[str, str]]]] = {
    "start": lambda row: (url("match_start", row.account_id), {"scope": "full"}),
    "resolve": lambda row: (url("difference_change", row.pk), {"reason": "Never mind."}),
    "look": lambda row: (url("difference_look", row.pk), {}),
    "deposit": lambda row: (
        url("deposits", row.account_id),
        {"kind": "in", "amount": "5", "words": "Transfer"},
    ),
}


@pytest.mark.parametrize("act", sorted(ACTS))
def test_act_without_the_right_changes_nothing(client: Client, batch: Batch, act: str) -> None:
    sign_in_with(client, *SEE, "see_all_studies")
    row = make_difference(batch)
    address, data = ACTS[act](row)

    status = client.post(address, data).status_code

    row.refresh_from_db()
    assert row.bonus is not None
    row.bonus.refresh_from_db()
    assert status in (302, 403)
    assert (row.resolved_at, row.bonus.look_at) == (None, None)
    assert [Match.objects.count(), Deposit.objects.count(), AuditEvent.objects.count()] == [1, 0, 0]


@pytest.mark.parametrize("act", ["start", "look"])
def test_act_is_no_link(client: Client, batch: Batch, act: str) -> None:
    sign_in_with(client, *SEE, "run_match", "see_all_studies")
    address, _ = ACTS[act](make_difference(batch))

    assert client.get(address).status_code == 405


@pytest.mark.parametrize("name", ["match_changelist", "difference_changelist"])
def test_pages_ask_for_the_right_to_see(client: Client, name: str) -> None:
    sign_in_with(client, "see_all_studies")

    assert client.get(url(name)).status_code == 403


def test_filters_narrow_the_list(client: Client, batch: Batch) -> None:
    sign_in_with(client, *SEE, "see_all_studies")
    make_difference(batch, words="First of all.")
    make_difference(batch, cause="twice", words="Second of all.")
    make_difference(batch, words="Over and done.", resolved_at=NOW)
    place = url("difference_changelist")

    def shown(**query: Any) -> list[str]:
        rows: Any = client.get(place, query).context["page"]
        return sorted(row.words for row in rows)

    assert shown() == ["First of all.", "Second of all."]
    assert shown(cause="twice") == ["Second of all."]
    assert shown(q="first") == ["First of all."]
    assert shown(state="closed") == ["Over and done."]
    assert shown(account="rubbish", state="rubbish", page="rubbish") == ["First of all.", "Second of all."]
    assert "Nothing matches" in text_of(client.get(place, {"q": "none such"}))


def test_pages_take_few_queries_whatever_there_is_to_show(client: Client, batch: Batch) -> None:
    user = sign_in_with(client, *SEE, "run_match", "add_deposit", studies=[batch.study])
    for number in range(30):
        other = make_batch(study=batch.study, account=make_account(), status="complete")
        make_match(other.account)
        make_difference(other if number % 2 else batch)
        Deposit.objects.create(account=batch.account, amount=1, words="x", by=user, at=NOW)
    row = Difference.objects.filter(account=batch.account)[0]
    places = [
        url("match_changelist"),
        url("match_change", row.last_match_id),
        url("difference_changelist"),
        url("difference_change", row.pk),
        url("deposits", batch.account.pk),
    ]

    counts = {}
    for place in places:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(place).status_code == 200
        counts[place] = len(queries)

    assert {place: count for place, count in counts.items() if count > MOST_QUERIES} == {}


def test_command_tells_programs_and_ends_with_one_if_something_is_open(
    batch: Batch, turk: StubbedTurk
) -> None:
    out = StringIO()
    call_command("match", batch.account.name, "--json", stdout=out)
    make_difference(batch, cause="twice", hit=None, bonus=None)

    with pytest.raises(SystemExit) as end:
        call_command("match", stdout=StringIO())

    (row,) = json.loads(out.getvalue())
    assert (row["status"], row["balance"], row["differences"]) == (
        "done",
        {"expected": "100.00", "provider": "100.00"},
        [],
    )
    assert end.value.code == 1


def test_command_names_the_accounts_where_it_knows_none(batch: Batch) -> None:
    with pytest.raises(CommandError, match=f"There are: {batch.account.name}"):
        call_command("match", "nobody")


def test_comparison_that_has_not_counted_yet_says_so(client: Client, batch: Batch) -> None:
    sign_in_with(client, *SEE, "see_all_studies")
    match = make_match(batch.account, status="running", hits_to_look_at=0)

    page = text_of(client.get(url("match_change", match.pk)))

    assert "Counting what is to be compared." in page
    assert "of some compared" not in page


def test_progress_of_a_recount_is_told(client: Client, batch: Batch) -> None:
    sign_in_with(client, *SEE, "see_all_studies")
    match = make_match(batch.account, status="running", tries=1, look_at=NOW + timedelta(minutes=1))

    page = text_of(client.get(url("match_change", match.pk)))

    assert "counted again in a minute" in page
