"""The payments desk, a study's books, the files and the audit log, as staff see them."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from hits.admin.audit_queries import events_for
from hits.admin.home.waiting import waiting_for
from hits.core import audit_trail
from hits.core.domain.months import month_of
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.runs import Run
from hits.payments.queries.payment_tasks import AccountCommitment, desk_of
from hits.payments.services import bonus_runs, kill_switch, run_rows
from hits.people.models import Disclosure
from hits.providers.models.accounts import Account
from hits.providers.services.balances import read_balance
from hits.studies.models import Study
from tests.factories import NOW, approve, make_account, make_batch, make_bonus, make_study, make_user
from tests.hits.books import open_batch, owed_bonus, paid_bonus
from tests.pages import text_of
from tests.people import make_permitted
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
DESK = (
    "view_bonus", "view_run", "view_ledgerentry", "view_auditevent", "view_match", "view_difference",
    "view_appeal", "view_halt", "prepare_run", "approve_run", "view_study",
)  # fmt: skip
MOST = 17  # four of them for the charts: zones, spending, accounts, balances; one for what is stopped


def make_desk_member(*studies: Study, also: tuple[str, ...] = DESK) -> User:
    return make_permitted(*also, studies=studies)


def has_balance(account: Account, balance: str) -> None:
    Account.objects.filter(pk=account.pk).update(balance=Decimal(balance), balance_read_at=NOW)


def test_desk_shows_who_prepares_the_drafts_and_who_approves_the_frozen_ones() -> None:
    batch = open_batch()
    preparer, approver = make_desk_member(batch.study), make_desk_member(batch.study)
    first, second = owed_bonus(batch), owed_bonus(batch)
    draft = bonus_runs.prepare_run(bonuses=[first], by=preparer, title="A draft", now=NOW)
    frozen = bonus_runs.prepare_run(bonuses=[second], by=preparer, title="Frozen", now=NOW)
    bonus_runs.freeze_run(run=frozen, by=preparer, now=NOW)

    mine, theirs = (desk_of(user, now=NOW) for user in (preparer, approver))

    assert (mine.drafts, mine.to_approve, mine.waiting) == ([draft], [], [frozen])
    assert (theirs.drafts, theirs.to_approve, theirs.waiting) == ([], [frozen], [])


def test_runs_that_wait_lead_to_where_one_decides() -> None:
    batch = open_batch()
    preparer, approver = make_desk_member(batch.study), make_desk_member(batch.study)

    def freeze() -> Run:
        run = bonus_runs.prepare_run(bonuses=[owed_bonus(batch)], by=preparer, title="One", now=NOW)
        bonus_runs.freeze_run(run=run, by=preparer, now=NOW)
        return run

    def address() -> list[str]:
        return [one.url for one in waiting_for(approver, now=NOW) if "to approve" in one.said]

    run = freeze()
    of_one = address()
    freeze()

    assert of_one == [reverse("admin:hits_run_change", args=[run.pk])]
    assert address() == [f"{reverse('admin:hits_run_changelist')}?waits=me"]


def test_held_bonus_is_told_on_home_payments_and_where_runs_are_prepared(client: Client) -> None:
    batch = open_batch()
    held, _ = owed_bonus(batch), owed_bonus(batch)
    holder = make_desk_member(batch.study, also=(*DESK, "hold_bonus"))
    run_rows.hold_bonuses(bonuses=[held], reason="Ask first", by=holder, now=NOW)
    listed = f"{reverse('admin:hits_bonus_changelist')}?hold=yes"
    client.force_login(holder)

    home = {one.said: (one.count, one.url) for one in waiting_for(holder, now=NOW)}
    others = [one.said for one in waiting_for(make_desk_member(batch.study), now=NOW)]
    payments = text_of(client.get(reverse("admin:hits_payments")))
    prepare = text_of(client.get(reverse("admin:hits_run_prepare")))
    Bonus.objects.exclude(pk=held.pk).update(held_at=NOW, held_by=holder, held_reason="Odd")
    alone = text_of(client.get(reverse("admin:hits_payments")))

    assert home["bonus held, until somebody releases it"] == (1, listed)
    assert not any("held" in said for said in others)
    assert f'<a href="{listed}">1 of them, $0.27, is held</a>' in payments
    assert ("Prepare a run</a>" in payments, "Prepare a run</a>" in alone) == (True, False)
    assert f'<a href="{listed}">1 more is held</a>' in prepare
    assert f'<a href="{listed}">2 of them, $0.54, are held</a>' in alone


def test_figures_of_one_name_say_what_they_count(client: Client) -> None:
    batch = open_batch()
    in_run, _ = owed_bonus(batch), owed_bonus(batch)
    user = make_desk_member(batch.study, also=(*DESK, "view_batch"))
    bonus_runs.prepare_run(bonuses=[in_run], by=user, title="A draft", now=NOW)
    has_balance(batch.account, "50")
    client.force_login(user)

    payments = text_of(client.get(reverse("admin:hits_payments")))
    books = text_of(client.get(reverse("admin:hits_ledger_study", args=[batch.study_id])))
    live = text_of(client.get(reverse("admin:hits_batch_live", args=[batch.pk])))
    wages = text_of(client.get(reverse("admin:hits_wages", args=[batch.pk])))

    assert '<h3>Owed, in no run yet</h3><p class="figure">1</p>' in payments
    assert "<dt>Owed, in runs or in none</dt><dd>$0.54</dd>" in payments
    assert "what was booked since is not in it" in payments
    owed = '<th scope="row">Owed</th><td>bonuses that are not approved yet, in runs or in none</td>'
    assert f'{owed}<td class="number">$0.54</td>' in books
    assert "in a month’s close, Budget and Given back together" in books
    assert "by the reward alone, of all submitted work" in live
    assert "with bonuses, of approved work alone" in wages


def test_desk_leaves_out_a_run_with_a_bonus_of_a_hidden_study() -> None:
    batches = [open_batch(), open_batch()]
    preparer = make_desk_member(*(batch.study for batch in batches))
    run = bonus_runs.prepare_run(
        bonuses=[owed_bonus(batch) for batch in batches], by=preparer, title="Both", now=NOW
    )
    bonus_runs.freeze_run(run=run, by=preparer, now=NOW)

    assert desk_of(make_desk_member(batches[0].study), now=NOW).to_approve == []


@pytest.mark.parametrize(
    ("status", "column", "limit"),
    [
        ("owed", "owed_at", timedelta(days=7)),
        ("approved", "approved_at", timedelta(hours=1)),
        ("sent", "sent_at", timedelta(days=1)),
    ],
)
def test_desk_calls_overdue_what_waits_too_long(status: str, column: str, limit: timedelta) -> None:
    early, late = (make_bonus(status=status, sent_at=NOW) for _ in range(2))
    Bonus.objects.filter(pk=early.pk).update(**{column: NOW - limit})
    Bonus.objects.filter(pk=late.pk).update(**{column: NOW - limit - timedelta(seconds=1)})
    user = make_desk_member(early.assignment.hit.batch.study, late.assignment.hit.batch.study)

    waiting = desk_of(user, now=NOW).bonuses[status]

    assert (waiting.count, waiting.late) == (2, 1)


def test_desk_counts_what_an_account_is_committed_to_and_how_long_its_money_lasts() -> None:
    account = make_account(fee_schedule="amazon")
    batch = open_batch(account=account)
    paid_bonus(batch)  # 1.52 in 14 days
    owed_bonus(batch, amount="1")
    approve([owed_bonus(batch, amount="2")])
    has_balance(account, "9.12")
    user = make_desk_member(batch.study)

    [purse] = desk_of(user, now=NOW).purses

    assert purse.committed == AccountCommitment(owed=Decimal(1), approved=Decimal(2), fees=Decimal("0.60"))
    assert (purse.balance, purse.spent) == (Decimal("9.12"), Decimal("1.52"))
    assert purse.runway_days == 50  # (9.12 - 3.60) / (1.52 / 14)
    assert not purse.is_short


def test_desk_counts_bonuses_in_a_run_apart_from_those_to_decide_on(client: Client) -> None:
    batch = open_batch()
    preparer = make_desk_member(batch.study)
    bonuses = [owed_bonus(batch, amount=amount) for amount in ("0.30", "0.60", "2")]
    run = bonus_runs.prepare_run(bonuses=bonuses[:2], by=preparer, title="November", now=NOW)
    bonus_runs.freeze_run(run=run, by=preparer, now=NOW)
    client.force_login(preparer)

    desk, page = desk_of(preparer, now=NOW), client.get(reverse("admin:hits_payments"))

    assert (desk.bonuses["owed"].count, desk.bonuses["owed"].amounts) == (1, {"USD": Decimal(2)})
    assert (desk.bonuses["in_run"].count, desk.bonuses["in_run"].amounts) == (2, {"USD": Decimal("0.90")})
    assert desk.purses[0].committed.owed == Decimal("2.90")
    assert "2 more, $0.90, are in runs that are not approved yet." in text_of(page)


def test_nothing_waits_for_the_preparer_when_everything_owed_is_in_a_frozen_run(client: Client) -> None:
    batch, now = open_batch(), timezone.now()  # nothing is owed for so long that it would be late
    preparer = make_desk_member(batch.study)
    run = bonus_runs.prepare_run(bonuses=[owed_bonus(batch, now=now)], by=preparer, title="All", now=now)
    bonus_runs.freeze_run(run=run, by=preparer, now=now)
    client.force_login(preparer)

    page = text_of(client.get(reverse("admin:hits_payments")))
    kill_switch.halt_payments(account=None, reason="Odd", by=None, now=now)
    client.force_login(make_desk_member(batch.study, also=(*DESK[:-2], "view_study", "set_halt")))
    stopped = text_of(client.get(reverse("admin:hits_payments")))

    assert "or waits until payments go on" in stopped
    assert "Let payments go on…" in stopped
    assert "Stop payments…" not in stopped
    assert "Nothing waits for you." in page
    assert "Prepare a run" not in page


def test_bonuses_of_a_run_that_came_to_nothing_are_to_be_decided_on_again() -> None:
    batch = open_batch()
    preparer = make_desk_member(batch.study)
    run = bonus_runs.prepare_run(bonuses=[owed_bonus(batch)], by=preparer, title="Not so", now=NOW)
    bonus_runs.dissolve_run(run=run, by=preparer, now=NOW)

    bonuses = desk_of(preparer, now=NOW).bonuses

    assert (bonuses["owed"].count, "in_run" in bonuses) == (1, False)


def test_bonus_that_waits_in_a_run_for_too_long_is_overdue(client: Client) -> None:
    batch = open_batch()
    preparer = make_desk_member(batch.study)
    owed = owed_bonus(batch, now=NOW - timedelta(days=8))
    bonus_runs.prepare_run(bonuses=[owed], by=preparer, title="Late", now=NOW)

    assert desk_of(preparer, now=NOW).count_late("owed") == 1


def test_desk_shows_the_balance_that_somebody_has_read_last(client: Client, turk: StubbedTurk) -> None:
    batch = make_batch(study=make_study(budget=100))
    has_balance(batch.account, "999.58")
    turk.balance = Decimal("976.24")
    user = make_permitted(*DESK, "view_batch", studies=[batch.study])
    client.force_login(user)

    client.get(reverse("admin:hits_batch_launch", args=[batch.pk]))

    [purse] = desk_of(user, now=NOW).purses
    assert purse.balance == Decimal("976.24")
    assert "$976.24" in text_of(client.get(reverse("admin:hits_payments")))


def test_balance_read_earlier_replaces_no_newer_one(turk: StubbedTurk) -> None:
    account = make_account()
    has_balance(account, "976.24")

    read = read_balance(account=account, provider=turk.provider, now=NOW - timedelta(seconds=1))

    account.refresh_from_db()
    assert (read, account.balance, account.balance_read_at) == (Decimal(100), Decimal("976.24"), NOW)


def test_desk_of_an_account_that_was_never_compared_says_so(client: Client) -> None:
    batch = open_batch()
    user = make_desk_member(batch.study)
    client.force_login(user)

    page = client.get(reverse("admin:hits_payments"))

    [purse] = desk_of(user, now=NOW).purses
    assert (purse.balance, purse.runway_days) == (None, None)
    assert "Not read yet" in text_of(page)


def test_desk_shows_nothing_of_studies_of_others() -> None:
    batch = open_batch()
    owed_bonus(batch)

    desk = desk_of(make_desk_member(make_study()), now=NOW)

    assert (desk.bonuses, desk.purses) == ({}, [])


@pytest.mark.parametrize("view", ["hits_payments", "hits_close"])
def test_pages_are_for_who_has_the_permission(client: Client, view: str) -> None:
    client.force_login(make_desk_member(make_study(), also=("view_study",)))

    assert client.get(reverse(f"admin:{view}")).status_code == 403


def test_index_leads_to_the_desk_for_who_may_see_it(client: Client) -> None:
    link = reverse("admin:hits_payments")
    found = []
    for also in (DESK, ("view_study",)):
        client.force_login(make_desk_member(make_study(), also=also))
        found.append(link in text_of(client.get(reverse("admin:index"))))

    assert found == [True, False]


def test_desk_takes_few_queries_however_many_bonuses(client: Client) -> None:
    batch = open_batch()
    user = make_desk_member(batch.study)
    client.force_login(user)
    bonus = owed_bonus(batch)
    counts = []
    for start in (0, 10):
        Bonus.objects.bulk_create(
            Bonus(assignment=bonus.assignment, rule=f"r{start}-{n}", amount="0.05", reason="R", owed_at=NOW)
            for n in range(start * 20)
        )
        with CaptureQueriesContext(connection) as queries:
            assert client.get(reverse("admin:hits_payments")).status_code == 200
        counts.append(len(queries))

    assert counts[0] == counts[1] < MOST


def test_books_of_a_study_show_the_statement_and_its_checks(client: Client) -> None:
    batch = open_batch()
    bonus = paid_bonus(batch)
    client.force_login(make_desk_member(batch.study))

    with CaptureQueriesContext(connection) as queries:
        page = client.get(reverse("admin:hits_ledger_study", args=[batch.study.pk]))

    text = page.content.decode()
    assert text.count("✓ Holds") == 3
    assert bonus.assignment.worker.pseudonym in text
    assert bonus.assignment.worker.external_id not in text
    assert len(queries) < MOST


@pytest.mark.parametrize(
    ("asked", "kinds"),
    [
        ({}, ["reserved", "granted"]),
        ({"kind": "reserved"}, ["reserved"]),
        ({"q": "LAUNCH"}, ["reserved"]),
        ({"since": "2026-11-22"}, []),
        ({"since": "2026-11-21", "until": "2026-11-21"}, ["reserved", "granted"]),
        ({"until": "2026-11-20"}, []),
        ({"kind": "rubbish", "batch": "x", "before": "x", "since": "x"}, ["reserved", "granted"]),
    ],
)
def test_rows_of_the_books_are_narrowed(client: Client, asked: dict[str, str], kinds: list[str]) -> None:
    study = open_batch().study
    client.force_login(make_desk_member(study))

    page = client.get(reverse("admin:hits_ledger_study", args=[study.pk]), asked)

    assert [entry.kind for entry in page.context["entries"]] == kinds


def test_rows_of_the_books_come_in_pages(client: Client) -> None:
    study = make_study()
    LedgerEntry.objects.bulk_create(
        LedgerEntry(study=study, kind="granted", source="grant", target="budget", amount="0.01", at=NOW)
        for _ in range(70)
    )
    client.force_login(make_desk_member(study))
    address = reverse("admin:hits_ledger_study", args=[study.pk])

    first = client.get(address)
    second = client.get(f"{address}?{first.context['older']}")

    shown = [entry.pk for page in (first, second) for entry in page.context["entries"]]
    assert shown == list(LedgerEntry.objects.order_by("-at", "-pk").values_list("pk", flat=True))
    assert second.context["older"] == ""


def test_books_of_a_study_of_others_are_not_found(client: Client) -> None:
    study = make_study()
    client.force_login(make_desk_member(make_study()))
    address = reverse("admin:hits_ledger_study", args=[study.pk])

    assert [client.get(address).status_code, client.post(address).status_code] == [404, 404]
    assert not AuditEvent.objects.exists()


def test_books_are_taken_as_a_file_by_posting(client: Client) -> None:
    study = open_batch().study
    client.force_login(make_desk_member(study))

    answer = client.post(reverse("admin:hits_ledger_study", args=[study.pk]), {"kind": "reserved"})

    lines = answer.getvalue().decode().splitlines()
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert len(lines) == 2
    assert AuditEvent.objects.get().kind == "file.ledger"


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_close_is_downloaded(client: Client, kind: str) -> None:
    study = open_batch(now=timezone.now()).study
    client.force_login(make_desk_member(study))
    month = f"{timezone.now():%Y-%m}"

    answer = client.post(reverse("admin:hits_close"), {"month": month, "study": study.pk, "format": kind})

    assert answer["Content-Disposition"] == f'attachment; filename="close-{month}-so-far.{kind}"'
    assert b"".join(answer.streaming_content)[:2] == {"csv": b"\xef\xbb", "xlsx": b"PK"}[kind]  # type: ignore[attr-defined]
    assert AuditEvent.objects.get(kind="file.close").study == study


def test_close_offers_the_months_with_their_transfers_and_refuses_an_empty_one(client: Client) -> None:
    now = timezone.now()
    study = open_batch(now=now).study
    client.force_login(make_desk_member(study))
    empty = f"{now - timedelta(days=200):%Y-%m}"

    page = client.get(reverse("admin:hits_close"), {"study": study.pk})
    refused = client.post(reverse("admin:hits_close"), {"month": empty, "study": study.pk, "format": "csv"})

    count = LedgerEntry.objects.count()
    over = month_of(now, zone="Etc/GMT+12").previous
    assert f"{now:%Y-%m} so far: {count} transfer" in text_of(page)
    assert f'<option value="{over}">{over}: no transfers' in text_of(page)
    assert f"{empty}: no transfers" in text_of(page)
    assert refused.status_code == 409
    assert "so the file would be empty" in text_of(refused)
    assert not AuditEvent.objects.exists()


@pytest.mark.parametrize(
    ("with_transfers", "chosen"), [([0], 0), ([0, 2], 2), ([0, 2, 3], 2), ([1, 2], 1), ([], 1)]
)
def test_close_chooses_a_month_that_can_be_downloaded(
    client: Client, with_transfers: list[int], chosen: int
) -> None:
    months = [month_of(timezone.now(), zone="Etc/GMT+12")]
    while len(months) < 4:
        months.append(months[-1].previous)
    study = make_study(time_zone="Etc/GMT+12", budget=0)
    for age in with_transfers:
        start, _ = months[age].bounds(study.time_zone)
        moved = {"kind": "granted", "source": "grant", "target": "budget", "amount": "0.01", "at": start}
        LedgerEntry.objects.create(study=study, **moved)
    client.force_login(make_desk_member(study))

    page: Any = client.get(reverse("admin:hits_close"))
    month = page.context["form"]["month"].value()
    file = client.post(reverse("admin:hits_close"), {"month": month, "format": "csv"})

    assert month == str(months[chosen])
    assert file.status_code == (200 if with_transfers else 409)


def test_ids_in_a_close_are_asked_for_in_vain_without_the_permission(client: Client) -> None:
    bonus = paid_bonus(open_batch(now=timezone.now()), now=timezone.now())
    client.force_login(make_desk_member(bonus.assignment.hit.batch.study))
    asked = {"month": f"{timezone.now():%Y-%m}", "format": "csv", "with_ids": "on", "reason": "Want"}

    answer = client.post(reverse("admin:hits_close"), asked)

    assert bonus.assignment.worker.external_id not in answer.getvalue().decode()
    assert not Disclosure.objects.exists()


def test_ledger_is_found_by_study_and_tells_the_amount_before_the_words(client: Client) -> None:
    mine, other = open_batch().study, open_batch().study
    client.force_login(make_desk_member(mine, other))
    address = reverse("admin:hits_ledgerentry_changelist")

    found = client.get(address, {"q": mine.name}).context["cl"]

    assert {entry.study for entry in found.result_list} == {mine}
    assert found.list_display[1].__name__ == "number_amount"


def test_ids_without_a_reason_are_refused_in_words(client: Client) -> None:
    bonus = paid_bonus(open_batch(now=timezone.now()), now=timezone.now())
    study = bonus.assignment.hit.batch.study
    client.force_login(make_desk_member(study, also=(*DESK, "see_worker_id")))
    asked = {"month": f"{timezone.now():%Y-%m}", "format": "csv", "with_ids": "on", "reason": ""}

    answer = client.post(reverse("admin:hits_close"), asked)

    assert answer.status_code == 409
    assert "Say why the file needs" in text_of(answer)
    assert not Disclosure.objects.exists()
    assert not AuditEvent.objects.filter(kind="file.close").exists()


def test_file_of_a_run_is_downloaded_by_who_sees_all_of_it(client: Client) -> None:
    batch = open_batch()
    run = approve([owed_bonus(batch)])
    assert run is not None
    address = reverse("admin:hits_run_file", args=[run.pk])
    answers = []
    for study in (make_study(), batch.study):
        client.force_login(make_desk_member(study))
        answers.append(client.post(address, {"format": "csv"}).status_code)

    assert answers == [404, 200]
    assert AuditEvent.objects.filter(kind="file.run").count() == 1


def test_audit_log_shows_what_one_may_see_and_what_one_did() -> None:
    mine, other = open_batch(), open_batch()
    user = make_desk_member(mine.study)
    audit_trail.note("study.rules", "Mine", by=None, now=NOW, study=mine.study)
    audit_trail.note("study.rules", "Hidden", by=None, now=NOW, study=other.study)
    audit_trail.note("bonus.held", "My bonus", by=None, now=NOW, bonus=owed_bonus(mine))
    audit_trail.note("bonus.held", "Hidden bonus", by=None, now=NOW, bonus=owed_bonus(other))
    audit_trail.note("match.done", "My account", by=None, now=NOW, account=mine.account)
    audit_trail.note("match.done", "Hidden account", by=None, now=NOW, account=other.account)
    audit_trail.note("halt.set", "Everybody", by=None, now=NOW)
    audit_trail.note("file.audit", "My own", by=user, now=NOW)
    audit_trail.note("file.audit", "Of somebody else", by=make_user(), now=NOW)

    seen = events_for(user).order_by("pk").values_list("words", flat=True)
    everything = events_for(make_permitted("see_all_studies")).count()

    assert list(seen) == ["Mine", "My bonus", "My account", "Everybody", "My own"]
    assert everything == 9


def test_audit_log_shows_a_run_to_who_sees_all_of_it() -> None:
    mine, other = open_batch(), open_batch()
    whole, half = approve([owed_bonus(mine)]), approve([owed_bonus(mine), owed_bonus(other)])

    seen = set(events_for(make_desk_member(mine.study)).values_list("run", flat=True))

    assert whole is not None
    assert half is not None
    assert seen == {whole.pk}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, ["Stopped.", "Approved “Autumn”."]),
        ({"q": "autumn"}, ["Approved “Autumn”."]),
        ({"q": "halt.set"}, ["Stopped."]),
        ({"q": "2026-11-21"}, ["Approved “Autumn”."]),
        ({"about": "halt."}, ["Stopped."]),
        ({"who": "nobody"}, ["Stopped."]),
    ],
)
def test_audit_log_is_searched_and_filtered(client: Client, asked: dict[str, str], words: list[str]) -> None:
    study = make_study()
    audit_trail.note("run.approved", "Approved “Autumn”.", by=make_user(), now=NOW, study=study)
    audit_trail.note("halt.set", "Stopped.", by=None, now=NOW + timedelta(days=1))
    client.force_login(make_desk_member(study))

    page = client.get(reverse("admin:hits_auditevent_changelist"), asked)

    assert [event.words for event in page.context["cl"].result_list] == words


def test_audit_log_is_taken_as_a_file_with_its_filters(client: Client) -> None:
    study = make_study()
    audit_trail.note("run.approved", "Approved.", by=None, now=NOW, study=study)
    audit_trail.note("halt.set", "Stopped.", by=None, now=NOW)
    client.force_login(make_desk_member(study))
    address = reverse("admin:hits_auditevent_file")

    refused = client.get(address).status_code
    answer = client.post(f"{address}?about=halt.")

    assert refused == 405
    assert answer.getvalue().decode().splitlines()[1:] == ["2026-11-21 12:00:00,halt.set,Stopped.,,,,,"]


def test_audit_log_is_taken_as_json_lines_of_some_days(client: Client) -> None:
    study = make_study()
    for days in range(3):
        audit_trail.note("run.approved", f"{days}", by=None, now=NOW - timedelta(days=days), study=study)
    client.force_login(make_desk_member(study))
    asked = {"form": "jsonl", "first": "2026-11-20", "last": "2026-11-20"}

    lines = client.post(reverse("admin:hits_auditevent_file"), asked).getvalue().decode().splitlines()

    assert [json.loads(line)["words"] for line in lines] == ["1"]


def test_audit_log_takes_few_queries_however_many_events(client: Client) -> None:
    study = make_study()
    client.force_login(make_desk_member(study))
    counts = []
    for _ in range(2):
        for number in range(5):
            audit_trail.note("run.approved", f"{number}", by=make_user(), now=NOW, study=study)
        with CaptureQueriesContext(connection) as queries:
            client.get(reverse("admin:hits_auditevent_changelist"))
        counts.append(len(queries))

    assert counts[0] == counts[1] < MOST


def test_navigation_leads_to_the_payments_once(client: Client) -> None:
    client.force_login(make_user(is_superuser=True))

    text = client.get(reverse("admin:hits_study_changelist")).content.decode()

    assert text.count(f'href="{reverse("admin:hits_payments")}"') == 1
