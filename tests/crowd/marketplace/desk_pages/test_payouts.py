"""Payouts: who is owed what, and that marking it paid happens once and to the cent."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import connections
from django.utils import timezone

from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models import LedgerEntry, Payout
from crowd.marketplace.models.parties import AuditEntry, Worker
from crowd.marketplace.queries import records
from crowd.marketplace.queries.daily_money import earned_by_day
from crowd.marketplace.services import payouts, reviewing
from crowd.marketplace.services.operators import AlreadyDone, do_once
from tests.crowd.marketplace.desk import Desk, form_token, hidden, lines_of, make_operator, rows_of
from tests.crowd.marketplace.rows import hand_in
from tests.crowd.marketplace.site import open_hit, text_of

pytestmark = pytest.mark.django_db
ZERO = Decimal(0)


def owed_worker(amount: str, *, name: str = "") -> Worker:
    """A worker who has earned this amount by one approved assignment."""
    now = timezone.now()
    assignment = hand_in(open_hit(reward=amount), now=now)
    reviewing.approve_assignment(assignment=assignment, feedback="", override=False, now=now)
    if name:
        Worker.objects.filter(pk=assignment.worker_id).update(name=name)
    return Worker.objects.get(pk=assignment.worker_id)


def owed(worker: Worker) -> Decimal:
    return Worker.objects.get(pk=worker.pk).owed


def ledger_sum() -> Decimal:
    return sum(LedgerEntry.objects.values_list("amount", flat=True), Decimal(0))


def paid_in_the_ledger() -> Decimal:
    return sum(LedgerEntry.objects.filter(account="paid").values_list("amount", flat=True), Decimal(0))


def test_list_says_who_is_owed_what(desk: Desk) -> None:
    less, more = owed_worker("0.50", name="Ada"), owed_worker("2", name="Bo")
    Worker.objects.create(name="Nothing owed", created_at=timezone.now())

    page = desk.get("payouts/")

    assert "$2.50 owed to 2 workers." in text_of(page)
    assert rows_of(page) == [f"Bo {more.external_id} $2.00", f"Ada {less.external_id} $0.50"]
    assert rows_of(desk.get("payouts/?q=ada")) == [f"Ada {less.external_id} $0.50"]
    assert rows_of(desk.get("payouts/?sort=name"))[0].startswith("Ada")


def test_file_has_exactly_what_was_ticked(desk: Desk) -> None:
    ticked, other = owed_worker("0.50", name="+Ada"), owed_worker("2")

    some = lines_of(desk.post("payouts/selected/", do="file", worker=[ticked.external_id]))
    everybody = lines_of(desk.post("payouts/selected/", do="file", everybody="1"))

    assert some == ["worker id,name,amount", f"{ticked.external_id},'+Ada,0.50"]
    assert everybody[1:] == [f"{other.external_id},{other.name},2.00", f"{ticked.external_id},'+Ada,0.50"]


def test_nothing_ticked_is_told_on_the_list_itself(desk: Desk) -> None:
    worker = owed_worker("0.50")

    answer = desk.post("payouts/selected/", do="file")

    assert answer.status_code == 409
    assert "no worker is ticked. Tick the workers in the list" in text_of(answer)
    assert len(rows_of(answer)) == 1
    assert worker.external_id in rows_of(answer)[0]
    assert desk.post("payouts/selected/", do="pay", worker=["nul\0"]).status_code == 409


def test_what_was_ticked_is_marked_as_paid_in_full(desk: Desk) -> None:
    ticked, other = owed_worker("0.50"), owed_worker("2")
    review = desk.post("payouts/selected/", do="pay", worker=[ticked.external_id])

    answer = desk.post(
        "payouts/paid/", token=form_token(review), lines=hidden(review, "lines"), reference="Transfer 9"
    )

    payout = Payout.objects.get()
    assert "Mark $0.50 as paid?" in text_of(review)
    assert answer.status_code == 302
    assert (payout.worker, payout.amount, payout.reference) == (ticked, Decimal("0.50"), "Transfer 9")
    assert payout.paid_by == desk.operator.sign_in_name
    assert (owed(ticked), owed(other)) == (ZERO, Decimal(2))
    assert (paid_in_the_ledger(), ledger_sum()) == (Decimal("0.50"), ZERO)
    assert "$0.50 to 1 worker: Transfer 9" in text_of(desk.get(f"workers/{ticked.external_id}/"))
    [line] = rows_of(desk.get(f"log/?q={ticked.name}"))
    assert ticked.external_id in line


def test_a_reference_is_added_later_once(desk: Desk) -> None:
    worker = owed_worker("2")
    review = desk.post("payouts/review/", lines=f"{worker.external_id},0.50")
    desk.post("payouts/paid/", token=form_token(review), lines=hidden(review, "lines"))
    payout = Payout.objects.get()
    path = f"payouts/{payout.pk}/reference/"

    listed = text_of(desk.get("payouts/history/"))
    empty = desk.post(path, reference="")
    added = desk.post(path, reference="SEPA 17")
    again = desk.post(path, reference="Another")

    assert "Add a reference" in listed
    assert (empty.status_code, added.status_code, again.status_code) == (422, 302, 404)
    assert Payout.objects.get().reference == "SEPA 17"
    assert "Add a reference" not in text_of(desk.get("payouts/history/"))
    entries = AuditEntry.objects.order_by("pk").values_list("what", "note")
    assert list(entries) == [("paid", "$0.50 to 1 worker"), ("payout reference added", "$0.50: SEPA 17")]


def test_payment_sent_twice_is_marked_once(desk: Desk) -> None:
    worker = owed_worker("2")
    review = desk.post("payouts/review/", lines=f"{worker.external_id},0.50")
    sent = {"token": form_token(review), "lines": hidden(review, "lines")}

    answers = [desk.post("payouts/paid/", **sent).status_code for _ in range(2)]

    assert (answers, owed(worker), Payout.objects.count()) == ([302, 409], Decimal("1.50"), 1)
    assert AuditEntry.objects.filter(what="paid").count() == 1


def test_list_paid_by_an_older_file_marks_its_amounts(desk: Desk) -> None:
    worker = owed_worker("2")
    file = lines_of(desk.post("payouts/selected/", do="file", everybody="1"))
    Worker.objects.filter(pk=worker.pk).update(owed=Decimal(3))

    review = desk.post("payouts/review/", lines="\n".join(file))
    desk.post("payouts/paid/", lines=hidden(review, "lines"))

    assert (owed(worker), Payout.objects.get().amount) == (Decimal(1), Decimal(2))


def test_more_than_is_owed_changes_nothing_for_anybody(desk: Desk) -> None:
    first, second = owed_worker("1"), owed_worker("2")
    lines = f"{first.external_id},1.00\n{second.external_id},2.01"

    review = desk.post("payouts/review/", lines=lines)
    answer = desk.post("payouts/paid/", lines=lines)

    assert "too much" in text_of(review)
    assert "is owed $2.00, and $2.01 were to be marked" in text_of(answer)
    assert (answer.status_code, owed(first), owed(second)) == (409, Decimal(1), Decimal(2))
    assert (Payout.objects.count(), AuditEntry.objects.count(), paid_in_the_ledger()) == (0, 0, ZERO)


@pytest.mark.parametrize(
    "lines",
    [
        "",
        "A",
        "A,",
        "A,ten",
        "A,0",
        "A,-1",
        "A,0.001",
        "A,NaN",
        "A,1e99",
        "ANOBODY,1.00",
        "worker id,name,amount",
    ],
)
def test_lines_that_make_no_sense_are_refused(lines: str) -> None:
    owed_worker("1")

    with pytest.raises(RuleBroken):
        payouts.read_payments(lines)


def test_worker_named_twice_is_refused() -> None:
    worker = owed_worker("1")

    with pytest.raises(RuleBroken, match=r"Line 2: .* twice"):
        payouts.read_payments(f"{worker.external_id},0.10\n{worker.external_id},0.10")


def test_payments_are_read_as_they_are_written() -> None:
    payments = payouts.owed_to([owed_worker("1"), owed_worker("2.50")])

    assert payouts.read_payments(payouts.write_payments(payments)) == payments


def test_payout_marked_by_mistake_is_owed_again_once(desk: Desk) -> None:
    worker = owed_worker("2")
    [payment] = payouts.owed_to([worker])
    payouts.pay(payments=[payment], reference="Transfer 1", paid_by="me", now=timezone.now())
    address = f"payouts/{Payout.objects.get().pk}/take-back/"

    asked, silent = desk.get(address), desk.post(address)
    done, again = (desk.post(address, reason="The transfer came back") for _ in range(2))

    assert "Take back the payout of $2.00" in text_of(asked)
    assert [answer.status_code for answer in (silent, done, again)] == [422, 302, 409]
    assert (owed(worker), paid_in_the_ledger(), ledger_sum()) == (Decimal(2), ZERO, ZERO)
    listed = rows_of(desk.get("payouts/history/"))[0]
    assert ("taken back" in listed, listed.endswith(": The transfer came back")) == (True, True)
    assert not records.payouts(worker=worker).exists()
    assert sum(day.earned for day in earned_by_day(now=timezone.now(), worker=worker)) == Decimal(2)
    [entry] = AuditEntry.objects.filter(what="payout taken back")
    assert (entry.about, entry.note.partition(": ")[2]) == (worker.external_id, "The transfer came back")


def test_two_payouts_of_a_worker_are_taken_back_each_for_its_own_reason(desk: Desk) -> None:
    worker = owed_worker("2")
    for _ in range(2):
        payment = payouts.Payment(worker=Worker.objects.get(pk=worker.pk), amount=Decimal(1))
        payouts.pay(payments=[payment], reference="", paid_by="me", now=timezone.now())
    for payout in Payout.objects.order_by("-pk"):
        desk.post(f"payouts/{payout.pk}/take-back/", reason=f"Reason {payout.pk}")

    rows = rows_of(desk.get("payouts/history/"))

    newest_first = Payout.objects.order_by("-pk")
    assert [row.rpartition(": ")[2] for row in rows] == [f"Reason {payout.pk}" for payout in newest_first]


def test_payout_to_an_erased_worker_stays(desk: Desk) -> None:
    worker = owed_worker("2")
    payouts.pay(payments=payouts.owed_to([worker]), reference="", paid_by="me", now=timezone.now())
    Worker.objects.filter(pk=worker.pk).update(erased_at=timezone.now())

    answer = desk.post(f"payouts/{Payout.objects.get().pk}/take-back/", reason="Odd")

    assert (answer.status_code, owed(worker)) == (409, ZERO)


def test_history_is_searched_and_comes_as_a_file(desk: Desk) -> None:
    worker, other = owed_worker("1", name="@Ada"), owed_worker("2")
    for one, reference in ((worker, "=1+1"), (other, "Transfer 2")):
        [payment] = payouts.owed_to([one])
        payouts.pay(payments=[payment], reference=reference, paid_by="me", now=timezone.now())

    page, file = desk.get("payouts/history/?q=transfer"), lines_of(desk.get("payouts/history.csv"))

    assert [row.partition(", ")[2].partition(" ")[2] for row in rows_of(page)] == [
        f"{other.name} $2.00 Transfer 2 me Take back… $2.00 to {other.name}"
    ]
    assert [line.split(",", 1)[1] for line in file[1:]] == [
        f"{other.external_id},{other.name},2.00,Transfer 2,me,",
        f"{worker.external_id},'@Ada,1.00,'=1+1,me,",
    ]
    assert len(lines_of(desk.get("payouts/history.csv?q=transfer"))) == 2


def test_nobody_owed_is_told(desk: Desk) -> None:
    assert "No worker is owed money." in text_of(desk.get("payouts/"))
    assert "Nothing has been marked as paid yet." in text_of(desk.get("payouts/history/"))


@pytest.mark.django_db(transaction=True)
def test_two_operators_at_one_instant_pay_once() -> None:
    worker = owed_worker("2")
    payments = payouts.owed_to([worker])

    def mark(_: int) -> str:
        try:
            payouts.pay(payments=payments, reference="", paid_by="me", now=timezone.now())
        except RuleBroken:
            return "refused"
        finally:
            connections.close_all()
        return "paid"

    with ThreadPoolExecutor(4) as pool:
        outcomes = Counter(pool.map(mark, range(4)))

    assert (outcomes, owed(worker), Payout.objects.count()) == ({"paid": 1, "refused": 3}, ZERO, 1)


@pytest.mark.django_db(transaction=True)
def test_form_sent_twice_at_one_instant_is_done_once() -> None:
    worker, operator, token = owed_worker("2"), make_operator(), uuid4()
    payment = payouts.Payment(worker=worker, amount=Decimal("0.50"))

    def mark(_: int) -> str:
        try:
            with do_once(operator=operator, token=token, what="paid", now=timezone.now()):
                payouts.pay(payments=[payment], reference="", paid_by="me", now=timezone.now())
        except AlreadyDone:
            return "done before"
        finally:
            connections.close_all()
        return "paid"

    with ThreadPoolExecutor(4) as pool:
        outcomes = Counter(pool.map(mark, range(4)))

    assert (outcomes, owed(worker)) == ({"paid": 1, "done before": 3}, Decimal("1.50"))


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\r", "\n", "\r\n"])
def test_name_cannot_forge_a_line(desk: Desk, end: str) -> None:
    forger, victim = owed_worker("0.50"), owed_worker("2")
    Worker.objects.filter(pk=forger.pk).update(name=f"0.01{end}{victim.external_id}")
    file = desk.post("payouts/selected/", do="file", worker=[forger.external_id])

    payments = payouts.read_payments(b"".join(file.streaming_content).decode())

    assert [(payment.worker, payment.amount) for payment in payments] == [(forger, Decimal("0.50"))]


@pytest.mark.parametrize("line", ["{},Ada,x,0.10", '{},"Ada,0.10', '{},"Ada"x,0.10', "{}," + "x" * 200_000])
def test_line_that_is_none_of_ours_is_refused(desk: Desk, line: str) -> None:
    worker = owed_worker("1")

    answer = desk.post("payouts/paid/", lines=line.format(worker.external_id))

    assert (answer.status_code, "Line 1" in text_of(answer)) == (409, True)
    assert (owed(worker), Payout.objects.count()) == (Decimal(1), 0)
