"""Obligations: one for each rule of the table, on recorded scores, and what is owed later beside them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from hits.batches.services import batch_counters, budgets
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.services import accrual
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from scoring.models import Score
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_hit,
    make_user,
)
from tests.races import all_at_once

pytestmark = pytest.mark.django_db
EACH = {"name": "each", "kind": "per_item", "measure": "jaccard", "at_least": 80, "amount": "0.10"}
MEAN = {"name": "mean", "measure": "jaccard", "at_least": 80, "amount": "0.05"}
FLAT = {"name": "flat", "kind": "flat", "amount": "0.02"}
WAGE = {"name": "wage", "kind": "wage", "at_most": "1.00", "hourly": "12.00"}
EXTRA: dict[str, Any] = {
    "rule": "appeal",
    "amount": Decimal("0.40"),
    "reason": "You were right.",
    "why": "The key was wrong.",
    "now": NOW,
}


def make_work(*scores: str, table: Sequence[Mapping[str, Any]] = (), **changes: Any) -> Assignment:
    """Make approved and judged work, in a batch of its own with this table unless a HIT is given."""
    if "hit" not in changes:
        terms = {"bonus_rules": list(table), "fee_schedule": "amazon"}
        batch = make_batch(status="open", terms=terms, items_per_assignment=max(1, len(scores)))
        changes["hit"] = make_hit(batch=batch, status="closed")
    work = make_assignment(**{"status": "approved", "judged_at": NOW, "approved_at": NOW, **changes})
    for value in scores:
        record(work, value)
    return work


def record(work: Assignment, value: str) -> None:
    share = Fraction(value)
    Score.objects.create(
        assignment=work,
        item=make_association(study=work.hit.batch.study).item,
        measure="jaccard",
        numerator=share.numerator,
        denominator=share.denominator,
        scored_at=NOW,
    )


def rescore(value: str) -> None:
    share = Fraction(value)
    Score.objects.update(numerator=share.numerator, denominator=share.denominator)


def owed(work: Assignment) -> list[tuple[str, int, Decimal]]:
    return list(work.bonuses.order_by("pk").values_list("rule", "revision", "amount"))


def booked() -> dict[str, Decimal]:
    """Sum of each book of the ledger, added up by Python's Decimal."""
    books: dict[str, Decimal] = defaultdict(Decimal)
    for entry in LedgerEntry.objects.exclude(kind="granted"):
        books[entry.source] -= entry.amount
        books[entry.target] += entry.amount
    return books


def everything() -> list[Any]:
    """All rows that a refused request must leave as they were."""
    tables = (Bonus, LedgerEntry, AuditEvent, Study, Batch)
    return [list(table.objects.order_by("pk").values()) for table in tables]


# The sweep.


def test_every_rule_of_the_table_owes_once_with_its_figures() -> None:
    work = make_work("1", "1/2", table=[EACH, MEAN, FLAT], worked_s=60)

    made = [accrual.owe_bonuses(now=NOW), accrual.owe_bonuses(now=NOW)]

    assert made == [2, 0]
    assert owed(work) == [("each", 0, Decimal("0.10")), ("flat", 0, Decimal("0.02"))]
    bonus = work.bonuses.get(rule="each")
    assert bonus.figures == {
        "kind": "per_item",
        "measure": "jaccard",
        "at_least": 80,
        "items": [{"score": "1", "amount": "0.10"}, {"score": "1/2", "amount": "0.00"}],
        "amount": "0.10",
    }
    assert bonus.reason == "Bonus “each”: 1 of 2 answers scored at least 80 % (jaccard)."
    assert booked()["owed"] == Decimal("0.12")


@pytest.mark.parametrize(
    ("changes", "amount"),
    [
        ({"active_s": 250, "worked_s": 900}, "0.81"),  # 83.3 cents, less the reward of three
        ({"active_s": None, "worked_s": 100}, "0.31"),
        ({"active_s": 0, "worked_s": 100}, "0.31"),
        ({"active_s": None, "worked_s": None}, None),
    ],
    ids=["active", "worked", "no-beat-counted", "unknown"],
)
def test_a_wage_is_reckoned_from_active_time_where_it_is_known(
    changes: dict[str, Any], amount: str | None
) -> None:
    work = make_work(table=[WAGE], **changes)

    accrual.owe_bonuses(now=NOW)

    assert owed(work) == ([("wage", 0, Decimal(amount))] if amount else [])


def test_work_kept_out_or_not_ripe_earns_nothing() -> None:
    kept_out = make_work(table=[FLAT], kept_out=True)
    unjudged = make_work(table=[FLAT], judged_at=None, answer={"a": []})
    submitted = make_work(table=[FLAT], status="submitted")
    disputed = make_work(table=[FLAT])
    Decision.objects.create(
        assignment=disputed, kind="keep_out", status="intended", by=make_user(), made_at=NOW, send_at=NOW
    )

    accrual.owe_bonuses(now=NOW)

    assert not Bonus.objects.exists()
    read = Assignment.objects.filter(owed_at__isnull=False)
    assert list(read) == [kept_out]
    assert {unjudged.pk, submitted.pk, disputed.pk}.isdisjoint(read.values_list("pk", flat=True))


def test_the_backlog_is_read_in_slices_at_a_price_that_does_not_grow_with_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(accrual, "SLICE", 4)
    hit = make_work("1", table=[EACH, FLAT]).hit
    counts = []
    for size in (4, 8):
        for _ in range(size - Assignment.objects.filter(owed_at=None).count()):
            make_work("1", hit=hit)
        with CaptureQueriesContext(connection) as queries:
            accrual.owe_bonuses(now=NOW)
        counts.append(len(queries))

    assert Bonus.objects.count() == 24
    empty = 3
    assert counts[1] - empty == 2 * (counts[0] - empty)
    assert counts[0] < 20


def test_a_crash_in_a_slice_leaves_it_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    work = make_work("1", table=[EACH])

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(accrual, "owe", die)
        with pytest.raises(KeyboardInterrupt):
            accrual.owe_bonuses(now=NOW)
    lost = Assignment.objects.filter(owed_at=None).count()
    accrual.owe_bonuses(now=NOW)

    assert lost == 1
    assert owed(work) == [("each", 0, Decimal("0.10"))]


def test_money_set_aside_at_the_launch_covers_the_most_that_is_owed() -> None:
    work = make_work("1", "1", table=[EACH, MEAN, FLAT, WAGE], worked_s=100_000, owed_at=NOW)
    batch = work.hit.batch
    planned = batch.prices.place(assignments_per_hit=3)
    Assignment.objects.update(owed_at=None)

    accrual.owe_bonuses(now=NOW)
    batch_counters.refresh(batch=Batch.objects.get(), now=NOW)

    assert Batch.objects.get().reserved == planned


# Owed again, because a score has changed.


def test_a_better_score_owes_the_difference_and_leaves_the_first_as_it_is() -> None:
    work = make_work("1", "1/2", table=[EACH, MEAN, FLAT])
    accrual.owe_bonuses(now=NOW)
    before = list(Bonus.objects.order_by("pk").values())
    rescore("1")

    made = accrual.owe_again(assignment=work, why="A key was wrong.", by=make_user(), now=NOW)

    assert list(Bonus.objects.order_by("pk").values())[:2] == before
    assert owed(work)[2:] == [("each", 1, Decimal("0.10")), ("mean", 0, Decimal("0.05"))]
    assert [bonus.why for bonus in made] == ["A key was wrong."] * 2
    assert (made[0].figures["amount"], made[0].figures["owed_before"]) == ("0.20", "0.10")
    assert made[0].reason.endswith("(jaccard). This comes on top of the $0.10 of before.")
    assert booked()["owed"] == Decimal("0.27")
    assert [event.bonus for event in AuditEvent.objects.order_by("pk")] == made


def test_a_worse_score_changes_nothing() -> None:
    work = make_work("1", "1", table=[EACH, MEAN, FLAT])
    accrual.owe_bonuses(now=NOW)
    before = everything()
    rescore("0")

    assert accrual.owe_again(assignment=work, why="Rescored.", by=make_user(), now=NOW) == []
    assert everything() == before


def test_asked_twice_it_owes_once() -> None:
    work, by = make_work("1/2", table=[EACH]), make_user()
    accrual.owe_bonuses(now=NOW)
    rescore("1")

    made = [len(accrual.owe_again(assignment=work, why="Rescored.", by=by, now=NOW)) for _ in range(3)]

    assert made == [1, 0, 0]
    assert owed(work) == [("each", 0, Decimal("0.10"))]


def test_what_was_given_up_is_owed_again_as_the_next_revision() -> None:
    work = make_work("1", table=[EACH])
    accrual.owe_bonuses(now=NOW)
    Bonus.objects.update(status="waived", approved_at=NOW, approved_by=make_user(), prepared_by=make_user())

    accrual.owe_again(assignment=work, why="Given up by mistake.", by=make_user(), now=NOW)

    assert owed(work) == [("each", 0, Decimal("0.10")), ("each", 1, Decimal("0.10"))]


def test_owing_again_sets_aside_what_counting_anew_confirms() -> None:
    work = make_work("1/2", table=[EACH, FLAT])
    batch = work.hit.batch
    accrual.owe_bonuses(now=NOW)
    budgets.settle(batch=batch, now=NOW)
    before = Study.objects.get().reserved
    rescore("1")

    accrual.owe_again(assignment=work, why="Rescored.", by=make_user(), now=NOW)
    reserved = Study.objects.get().reserved
    batch_counters.refresh(batch=Batch.objects.get(), now=NOW)

    assert reserved - before == Decimal("0.12")  # ten cents and two of fees
    assert Study.objects.get().reserved == reserved


def refusals() -> list[tuple[str, dict[str, Any]]]:
    return [
        ("over_budget", {"budget": Decimal(0)}),
        ("bad_text", {"why": " "}),
        ("bad_text", {"why": "x" * 501}),
        ("bad_text", {"why": "two\nlines"}),
        ("not_read_yet", {"owed_at": None}),
        ("not_read_yet", {"status": "rejected"}),
    ]


@pytest.mark.parametrize(("code", "changes"), refusals(), ids=str)
def test_owing_again_refused_changes_nothing(code: str, changes: dict[str, Any]) -> None:
    work, by = make_work("1/2", table=[EACH]), make_user()
    accrual.owe_bonuses(now=NOW)
    rescore("1")
    Study.objects.update(budget=changes.pop("budget", Decimal(1000)))
    why = changes.pop("why", "Rescored.")
    Assignment.objects.update(**{"status": "approved", **changes})
    before = everything()

    with pytest.raises(RuleBroken) as refused:
        accrual.owe_again(assignment=work, why=why, by=by, now=NOW)

    assert refused.value.code == code
    assert everything() == before


# Owed in addition, because a person says so.


def test_an_extra_is_set_aside_owed_and_audited() -> None:
    work, by = make_work(table=[FLAT]), make_user()

    bonus = accrual.owe_extra(assignment=work, by=by, figures={"appeal": 7}, **EXTRA)

    assert owed(work) == [("appeal", 0, Decimal("0.40"))]
    assert bonus.figures == {"kind": "extra", "appeal": 7, "amount": "0.40"}
    assert (bonus.status, bonus.reason, bonus.why) == ("owed", "You were right.", "The key was wrong.")
    assert (booked()["owed"], booked()["reserved"]) == (Decimal("0.40"), Decimal("0.08"))
    event = AuditEvent.objects.get()
    assert (event.kind, event.by, event.bonus) == ("bonus.owed_extra", by, bonus)
    assert event.words == f"Owed $0.40 by “appeal” on work {work.public_id}: The key was wrong."


def test_another_extra_is_the_next_revision() -> None:
    work, by = make_work(), make_user()

    accrual.owe_extra(assignment=work, by=by, **EXTRA)
    accrual.owe_extra(assignment=work, by=by, **{**EXTRA, "why": "A second key was wrong."})

    assert owed(work) == [("appeal", 0, Decimal("0.40")), ("appeal", 1, Decimal("0.40"))]


def test_an_extra_may_be_owed_where_real_money_is_launched_by_others_only() -> None:
    account = make_account(environment="production")
    hit = make_hit(batch=make_batch(status="open", account=account))

    accrual.owe_extra(assignment=make_work(hit=hit), by=make_user(), **EXTRA)

    assert Bonus.objects.count() == 1


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("over_budget", {"budget": Decimal("0.47")}),
        ("no_budget", {"budget": None}),
        ("owed_already", {"twice": True}),
        ("owed_meanwhile", {"revision": 1}),
        ("rule_of_table", {"rule": "flat"}),
        ("not_decided", {"status": "submitted"}),
        ("bad_amount", {"amount": Decimal("0.005")}),
        ("bad_amount", {"amount": Decimal(-1)}),
        ("bad_amount", {"amount": Decimal("NaN")}),
        ("bad_text", {"reason": ""}),
        ("bad_text", {"reason": "x" * 401}),
        ("bad_text", {"rule": "a\x00b"}),
        ("bad_text", {"why": ""}),
    ],
    ids=str,
)
def test_an_extra_refused_changes_nothing(code: str, changes: dict[str, Any]) -> None:
    work, by = make_work(table=[FLAT]), make_user()
    if changes.pop("twice", False):
        accrual.owe_extra(assignment=work, by=by, **EXTRA)
    Study.objects.update(budget=changes.pop("budget", Decimal(1000)))
    Assignment.objects.update(status=changes.pop("status", "approved"))
    before = everything()

    with pytest.raises(RuleBroken) as refused:
        accrual.owe_extra(assignment=work, by=by, **{**EXTRA, **changes})

    assert refused.value.code == code
    assert everything() == before


def test_an_extra_counts_as_pay_when_a_wage_is_reckoned() -> None:
    work = make_work(table=[WAGE], worked_s=180)
    accrual.owe_extra(assignment=work, by=make_user(), **EXTRA)

    accrual.owe_bonuses(now=NOW)

    assert owed(work)[1:] == [("wage", 0, Decimal("0.17"))]


# Several processes at once.

AT_ONCE = 4


@pytest.mark.django_db(transaction=True)
def test_sweeps_at_one_instant_owe_once() -> None:
    work = [make_work("1", table=[EACH, FLAT]) for _ in range(5)]

    made = all_at_once(*[lambda: accrual.owe_bonuses(now=NOW)] * AT_ONCE)

    assert sum(made) == 10
    assert [len(owed(each)) for each in work] == [2] * 5


@pytest.mark.django_db(transaction=True)
def test_clicks_at_one_instant_owe_the_difference_once() -> None:
    work, by = make_work("1/2", table=[EACH]), make_user()
    accrual.owe_bonuses(now=NOW)
    rescore("1")

    def click() -> int:
        return len(accrual.owe_again(assignment=work, why="Rescored.", by=by, now=NOW))

    assert Counter(all_at_once(*[click] * AT_ONCE)) == {1: 1, 0: AT_ONCE - 1}
    assert owed(work) == [("each", 0, Decimal("0.10"))]


@pytest.mark.django_db(transaction=True)
def test_extras_at_one_instant_are_owed_once_and_within_the_budget() -> None:
    work = make_work()
    Study.objects.update(budget=Decimal("0.50"))
    people = [make_user() for _ in range(AT_ONCE)]

    def click(by: User) -> Callable[[], object]:
        return lambda: bool(accrual.owe_extra(assignment=work, by=by, revision=0, **EXTRA))

    assert Counter(all_at_once(*(click(by) for by in people))) == {True: 1, "owed_already": AT_ONCE - 1}
    assert Study.objects.get().reserved == Decimal("0.48")
