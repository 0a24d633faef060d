"""Requesters at the desk: their keys, their money, their layouts, and how they end."""

import re
from decimal import Decimal

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crowd.marketplace.database import ALIAS, atomic
from crowd.marketplace.desk import lists
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models import Layout, LedgerEntry
from crowd.marketplace.models.parties import AccessKey, AuditEntry, Requester, Worker
from crowd.marketplace.services import hit_creation, requesters, reviewing
from crowd.marketplace.services.oversight import complaints
from tests.crowd.marketplace.desk import Desk, form_token, lines_of, rows_of, secrets_on
from tests.crowd.marketplace.rows import available, balances, hand_in
from tests.crowd.marketplace.site import open_hit, text_of
from tests.factories import invite, make_requester

pytestmark = pytest.mark.django_db
ZERO = Decimal(0)


@pytest.fixture
def requester() -> Requester:
    return make_requester(now=timezone.now()).requester


def path_of(requester: Requester, rest: str = "") -> str:
    return f"requesters/{requester.external_id}/{rest}"


def test_new_requester_is_shown_its_keys_once(desk: Desk) -> None:
    page = desk.post("requesters/new/", name="The lab", fee_schedule="7.5%", deposit="25.50")

    requester = Requester.objects.get()
    secrets = secrets_on(page)
    detail = desk.get(path_of(requester)).content.decode()
    assert (requester.name, requester.fee_schedule, requester.available) == (
        "The lab",
        "7.5%",
        Decimal("25.50"),
    )
    assert (
        secrets["Secret access key"] == AccessKey.objects.get(access_key_id=secrets["Access key id"]).secret
    )
    assert secrets["Ticket key"] == requester.ticket_key
    assert "A program that only posts and reviews HITs does not need it." in text_of(page)
    assert "requester made: The lab, with a deposit of $25.50" in detail
    assert f"/desk/{path_of(requester)}" in desk.get("log/?q=the lab").content.decode()
    assert [secrets[name] in detail for name in ("Secret access key", "Ticket key")] == [False, False]


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "x" * 129},
        {"name": "nul\0"},
        {"fee_schedule": "lots"},
        {"fee_schedule": "100%"},
        {"deposit": "-1"},
        {"deposit": "0.001"},
        {"deposit": "1000000.01"},
        {"deposit": "NaN"},
    ],
)
def test_new_requester_that_makes_no_sense_is_refused(desk: Desk, wrong: dict[str, str]) -> None:
    fields = {"name": "The lab", "fee_schedule": "none", "deposit": "1", **wrong}

    page = desk.post("requesters/new/", **fields)

    assert (page.status_code, Requester.objects.count(), AuditEntry.objects.count()) == (422, 0, 0)


def test_new_requester_of_a_name_that_is_taken_is_refused(desk: Desk, requester: Requester) -> None:
    page = desk.post("requesters/new/", name=requester.name, fee_schedule="none")

    assert (page.status_code, Requester.objects.count()) == (422, 1)


def test_form_sent_twice_makes_one_requester_and_one_key(desk: Desk, requester: Requester) -> None:
    token = form_token(desk.get(path_of(requester)))

    answers = [desk.post(path_of(requester, "keys/"), token=token).status_code for _ in range(2)]

    assert (answers, requester.access_keys.count()) == ([200, 409], 2)


def test_list_is_searched_and_sorted(desk: Desk) -> None:
    now = timezone.now()
    for name, deposit in (("Alpha lab", 1), ("Beta lab", 3), ("Gamma", 2)):
        requesters.create_requester(name=name, deposit=Decimal(deposit), fee_schedule="none", now=now)

    def names(query: str) -> list[str]:
        return [row.partition(" $")[0] for row in rows_of(desk.get(f"requesters/?{query}"))]

    assert names("") == ["Alpha lab", "Beta lab", "Gamma"]
    assert names("sort=available") == ["Beta lab", "Gamma", "Alpha lab"]
    assert names("q=LAB&sort=newest") == ["Beta lab", "Alpha lab"]
    assert names("q=nothing%00") == []
    assert names("sort=password&page=x") == ["Alpha lab", "Beta lab", "Gamma"]


def test_key_is_rotated_while_the_old_one_works(desk: Desk, requester: Requester) -> None:
    old = requester.access_keys.get()

    page = desk.post(path_of(requester, "keys/"))
    both = requester.access_keys.filter(revoked_at=None).count()
    asked = desk.get(path_of(requester, f"keys/{old}/revoke/"))
    desk.post(path_of(requester, f"keys/{old}/revoke/"))

    assert (asked.status_code, both) == (200, 2)
    assert [str(key) for key in requester.access_keys.filter(revoked_at=None)] == [
        secrets_on(page)["Access key id"]
    ]


def test_key_of_another_requester_cannot_be_revoked(desk: Desk, requester: Requester) -> None:
    other = make_requester(now=timezone.now()).requester.access_keys.get()

    answer = desk.post(path_of(requester, f"keys/{other}/revoke/"))

    assert (answer.status_code, AccessKey.objects.filter(revoked_at=None).count()) == (404, 2)


def test_ticket_key_is_renewed_after_a_question(desk: Desk, requester: Requester) -> None:
    before = requester.ticket_key
    desk.get(path_of(requester, "ticket-key/"))
    unchanged = Requester.objects.get().ticket_key

    page = desk.post(path_of(requester, "ticket-key/"))

    after = Requester.objects.get().ticket_key
    assert (unchanged, secrets_on(page)) == (before, {"Ticket key": after})
    assert before != after


def test_deposit_is_booked_with_its_note(desk: Desk, requester: Requester) -> None:
    answer = desk.post(path_of(requester, "deposit/"), amount="12.34", note="Invoice 7")

    newest = LedgerEntry.objects.order_by("-id")[0]
    assert (answer.status_code, available(requester)) == (302, Decimal("112.34"))
    assert (newest.subject, sum(balances(requester).values())) == ("Invoice 7", ZERO)


def test_deposit_sent_twice_is_booked_once(desk: Desk, requester: Requester) -> None:
    token = form_token(desk.get(path_of(requester, "deposit/")))

    answers = [
        desk.post(path_of(requester, "deposit/"), token=token, amount="5").status_code for _ in range(2)
    ]

    assert (answers, available(requester)) == ([302, 409], Decimal(105))


@pytest.mark.parametrize("amount", ["0", "-5", "0.005", "1e9", "Infinity", "", "ten"])
@pytest.mark.parametrize("kind", ["deposit", "withdraw"])
def test_amount_that_makes_no_sense_moves_nothing(
    desk: Desk, requester: Requester, kind: str, amount: str
) -> None:
    answer = desk.post(path_of(requester, f"{kind}/"), amount=amount)

    assert (answer.status_code, available(requester), AuditEntry.objects.count()) == (422, Decimal(100), 0)


def test_withdrawal_takes_all_and_no_more(desk: Desk, requester: Requester) -> None:
    too_much = desk.post(path_of(requester, "withdraw/"), amount="100.01")
    unchanged = available(requester)

    all_of_it = desk.post(path_of(requester, "withdraw/"), amount="100")

    assert (too_much.status_code, unchanged) == (422, Decimal(100))
    assert (all_of_it.status_code, balances(requester)) == (302, {"deposits": ZERO, "available": ZERO})


def test_withdrawal_that_lost_a_race_is_undone_with_its_record(requester: Requester) -> None:
    with pytest.raises(RuleBroken):
        requesters.withdraw(requester_id=requester.pk, amount=Decimal(101), note="", now=timezone.now())

    assert balances(requester) == {"deposits": Decimal(-100), "available": Decimal(100)}


def test_ledger_shows_from_where_to_where(desk: Desk, requester: Requester) -> None:
    hit = open_hit(requester=requester, reward="0.50", max_assignments=2)

    rows = rows_of(desk.get(path_of(requester, "ledger/")))

    assert [row.partition(", ")[2].partition(" ")[2] for row in rows] == [
        f"Put on hold available → held $1.00 {hit.external_id}",
        "Deposit deposits → available $100.00 deposit",
    ]


def test_ledger_says_what_each_transfer_was_for(desk: Desk, requester: Requester) -> None:
    now = timezone.now()
    requesters.set_fees(requester_id=requester.pk, fee_schedule="10%")
    requesters.withdraw(requester_id=requester.pk, amount=Decimal(1), note="", now=now)
    requester.refresh_from_db()
    hit = open_hit(requester=requester, reward="0.50", max_assignments=2)
    done = hand_in(hit, now=now)
    reviewing.approve_assignment(assignment=done, feedback="", override=False, now=now)
    with atomic():
        reviewing.pay_bonus(requester=requester, assignment=done, amount=Decimal(1), reason="", now=now)
    with atomic():
        hit_creation.release_places(hit, places=1, now=now)

    rows = rows_of(desk.get(path_of(requester, "ledger/")))

    said = [re.split(r"available →|deposits →|held →", row.partition(", ")[2][6:])[0].strip() for row in rows]
    assert said == [
        "No longer on hold",
        "Fee of a bonus",
        "Bonus",
        "Fee of a reward",
        "Reward",
        "Put on hold",
        "Withdrawal",
        "Deposit",
    ]


def test_ledger_is_turned_page_by_page_and_not_counted(
    desk: Desk, requester: Requester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "ROWS_ON_A_PAGE", 2)
    for amount in range(1, 5):
        requesters.deposit(requester_id=requester.pk, amount=Decimal(amount), note="", now=timezone.now())

    with CaptureQueriesContext(connections[ALIAS]) as captured:
        pages = [desk.get(path_of(requester, "ledger/"))]
        for rel in ("next", "next", "prev"):
            [step] = re.findall(rf'rel="{rel}" href="([^"]*)"', pages[-1].content.decode())
            pages.append(desk.get(path_of(requester, f"ledger/{step}")))

    amounts = [re.findall(r"\$([\d.]+)", " ".join(rows_of(page))) for page in pages]
    assert amounts == [["4.00", "3.00"], ["2.00", "1.00"], ["100.00"], ["2.00", "1.00"]]
    assert [query for query in captured if "COUNT(" in query["sql"] or "OFFSET" in query["sql"]] == []


def test_ledger_file_has_every_transfer_and_no_formula(desk: Desk, requester: Requester) -> None:
    desk.post(path_of(requester, "deposit/"), amount="1", note="=HYPERLINK(1)")

    lines = lines_of(desk.get(path_of(requester, "ledger.csv")))

    assert lines[0] == "at,from,to,amount,about,transfer"
    assert [line.split(",")[1:5] for line in lines[1:]] == [
        ["deposits", "available", "1.00", "'=HYPERLINK(1)"],
        ["deposits", "available", "100.00", "deposit"],
    ]


def test_fees_are_set_or_refused(desk: Desk, requester: Requester) -> None:
    answers = [
        desk.post(path_of(requester, "fees/"), fee_schedule=fees).status_code for fees in ("5%", "a lot")
    ]

    assert (answers, Requester.objects.get().fee_schedule) == ([302, 422], "5%")


def test_layout_is_added_and_replaced_under_one_id(desk: Desk, requester: Requester) -> None:
    desk.post(path_of(requester, "layouts/new/"), name="Pairs", html="<p>${a}</p>", frame_height="0")
    layout = Layout.objects.get()

    twice = desk.post(path_of(requester, "layouts/new/"), name="Pairs", html="<p>No</p>", frame_height="0")
    path = path_of(requester, f"layouts/{layout.external_id}/")
    desk.post(path, name="Other", html="<p>${b}</p>", frame_height="400")

    after = Layout.objects.get()
    assert (layout.html, twice.status_code) == ("<p>${a}</p>", 422)
    assert (after.external_id, after.name, after.html, after.frame_height) == (
        layout.external_id,
        "Pairs",
        "<p>${b}</p>",
        400,
    )


def test_layout_longer_than_a_question_is_refused(desk: Desk, requester: Requester) -> None:
    html = "ä" * (requesters.LONGEST_LAYOUT // 2 + 1)

    answer = desk.post(path_of(requester, "layouts/new/"), name="Long", html=html, frame_height="0")

    assert (answer.status_code, Layout.objects.count(), AuditEntry.objects.count()) == (409, 0, 0)


def test_layout_of_another_requester_is_not_found(desk: Desk, requester: Requester) -> None:
    other = make_requester(now=timezone.now()).requester
    layout = requesters.save_layout(
        requester_id=other.pk, name="Theirs", html="<p>", frame_height=0, now=timezone.now()
    )

    answer = desk.post(path_of(requester, f"layouts/{layout.external_id}/"), html="<b>", frame_height="0")

    assert (answer.status_code, Layout.objects.get().html) == (404, "<p>")


def test_closed_requester_has_no_key_and_gets_none(desk: Desk, requester: Requester) -> None:
    asked = desk.get(path_of(requester, "close/"))
    open_still = Requester.objects.get().closed_at

    desk.post(path_of(requester, "close/"))
    refused = [
        desk.post(path_of(requester, "keys/")).status_code,
        desk.post(path_of(requester, "ticket-key/")).status_code,
        desk.post(path_of(requester, "deposit/"), amount="1").status_code,
    ]

    assert (asked.status_code, open_still, refused) == (200, None, [409, 409, 409])
    assert (AccessKey.objects.filter(revoked_at=None).count(), available(requester)) == (0, Decimal(100))
    assert "closed" in text_of(desk.get(path_of(requester)))


def test_what_is_left_of_a_closed_requester_can_be_withdrawn(desk: Desk, requester: Requester) -> None:
    requesters.close_requester(requester_id=requester.pk, now=timezone.now())

    desk.post(path_of(requester, "withdraw/"), amount="100")

    assert available(requester) == ZERO


def test_log_tells_who_did_what(desk: Desk, requester: Requester) -> None:
    desk.post(path_of(requester, "deposit/"), amount="1", note="Invoice 8")

    [row] = rows_of(desk.get("log/?q=invoice"))

    assert row.partition(", ")[2].partition(" ")[2] == (
        f"{desk.operator} deposit {requester} {requester.external_id} $1.00 Invoice 8"
    )


def test_overview_counts_what_there_is_to_do(desk: Desk, requester: Requester) -> None:
    open_hit(requester=requester, reward="0.50", max_assignments=2)

    page = desk.get("")

    assert "Open HITs 1 Workers 0 Events undelivered 0" in text_of(page)
    assert "Waits for you Nothing: no complaint , no registration , nobody to pay or to erase." in text_of(
        page
    )
    assert 'href="/desk/books/">Books</a>: the balance of every account' in page.content.decode()


def test_overview_says_what_waits_for_an_operator(desk: Desk, requester: Requester) -> None:
    worker, _ = invite(now=timezone.now())
    hit = open_hit(requester=requester)
    complaints.report(worker=worker, hit=hit, kind="other", text="No.", now=timezone.now())
    Worker.objects.update(owed=Decimal("0.30"), erasure_requested_at=timezone.now())

    text = text_of(desk.get(""))

    waiting = "Complaints to answer 1 Workers to pay 1 Owed to them $0.30 Erasures to carry out 1 Open HITs 1"
    assert waiting in text


def test_overview_reads_the_last_days_of_the_ledger_alone(desk: Desk, requester: Requester) -> None:
    with CaptureQueriesContext(connections[ALIAS]) as captured:
        desk.get("")

    [read] = [query["sql"] for query in captured if "ledgerentry" in query["sql"]]
    assert '"created_at" >= ' in read


def test_books_are_in_balance(desk: Desk, requester: Requester) -> None:
    open_hit(requester=requester, reward="0.50", max_assignments=2)

    text = text_of(desk.get("books/"))

    assert "Available to requesters $99.00 On hold for open HITs $1.00" in text
    assert "Sum, which must be zero $0.00" in text


def test_books_that_do_not_balance_are_told(desk: Desk, requester: Requester) -> None:
    LedgerEntry.objects.filter(account="available").update(amount=Decimal("99.99"))

    assert "The ledger does not sum to zero: it is off by -$0.01." in text_of(desk.get("books/"))


def test_a_requester_is_renamed_and_the_log_keeps_both_names(desk: Desk, requester: Requester) -> None:
    before = requester.name

    detail = text_of(desk.get(path_of(requester)))
    answer = desk.post(path_of(requester, "name/"), name="The lab of common sense")

    requester.refresh_from_db()
    entry = AuditEntry.objects.get()
    assert "Rename" in detail
    assert (answer.status_code, requester.name) == (302, "The lab of common sense")
    assert (entry.what, entry.about) == ("requester renamed", requester.external_id)
    assert entry.note == f"{before} → The lab of common sense"


def test_a_name_that_is_taken_empty_or_too_long_renames_nobody(desk: Desk, requester: Requester) -> None:
    other = make_requester(now=timezone.now()).requester

    answers = [
        desk.post(path_of(requester, "name/"), name=name).status_code for name in (other.name, "", "x" * 129)
    ]

    assert answers == [422, 422, 422]
    assert Requester.objects.get(pk=requester.pk).name == requester.name
    assert not AuditEntry.objects.exists()


def test_a_closed_requester_keeps_its_name(desk: Desk, requester: Requester) -> None:
    requesters.close_requester(requester_id=requester.pk, now=timezone.now())

    with pytest.raises(RuleBroken, match="is closed"):
        requesters.rename_requester(requester_id=requester.pk, name="Another")

    assert Requester.objects.get(pk=requester.pk).name == requester.name


def test_note_on_the_first_deposit_stands_in_the_ledger(desk: Desk) -> None:
    fields = {"fee_schedule": "none", "deposit": "5", "note": "Invoice 9"}

    desk.post("requesters/new/", name="Another lab", **fields)

    requester = Requester.objects.get(name="Another lab")
    page = text_of(desk.get(path_of(requester)))
    assert "Invoice 9" in page
    assert "Requesters have no pages here." in page
