"""Bonus runs: one person prepares and freezes, another approves exactly what was frozen."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from functools import partial
from hashlib import sha256
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.runs import Run, RunRow
from hits.payments.queries.run_table import lines_of, rows_of
from hits.payments.services import bonus_runs, run_rows
from hits.people.services.blocking import block_worker
from hits.studies.models import Study
from tests.factories import NOW, make_assignment, make_batch, make_bonus, make_hit, make_study, make_user
from tests.people import make_permitted

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)


def owed(count: int = 1, **changes: Any) -> list[Bonus]:
    return [make_bonus(status="owed", **changes) for _ in range(count)]


def staff() -> User:
    return make_user(is_superuser=True)


def prepared(bonuses: list[Bonus], *, by: User | None = None, **changes: Any) -> Run:
    return bonus_runs.prepare_run(bonuses=bonuses, by=by or staff(), title="November", now=NOW, **changes)


def frozen(bonuses: list[Bonus], **changes: Any) -> Run:
    run = prepared(bonuses, **changes)
    bonus_runs.freeze_run(run=run, by=run.prepared_by, now=NOW)
    return run


def approved(bonuses: list[Bonus], **changes: Any) -> Run:
    run = frozen(bonuses, **changes)
    assert bonus_runs.approve_run(run=run, digest=run.digest, by=staff(), now=LATER)
    return run


def statuses() -> list[str]:
    return list(Bonus.objects.order_by("pk").values_list("status", flat=True))


def kinds() -> list[str]:
    return list(AuditEvent.objects.order_by("pk").values_list("kind", flat=True))


def money() -> list[Any]:
    """All rows that a refused request must not change."""
    tables = (Run, RunRow, Bonus, LedgerEntry, AuditEvent)
    return [list(table._default_manager.order_by("pk").values()) for table in tables]


def refuses(code: str, act: Callable[[], object]) -> None:
    before = money()

    with pytest.raises(RuleBroken) as broken:
        act()

    assert broken.value.code == code
    assert money() == before


def test_run_is_approved_by_two_people_and_its_bonuses_with_it() -> None:
    bonuses = owed(2, amount=Decimal("0.27"))

    run = approved(bonuses)

    assert (run.status, run.count, run.total) == ("approved", 2, Decimal("0.54"))
    assert statuses() == ["approved", "approved"]
    assert {(b.prepared_by_id, b.approved_by_id, b.approved_at) for b in Bonus.objects.all()} == {
        (run.prepared_by_id, run.decided_by_id, LATER)
    }
    assert kinds() == ["run.prepared", "run.frozen", "run.approved"]
    moved = LedgerEntry.objects.filter(kind="approved").values_list("source", "target", "amount")
    assert [*moved] == [("owed", "approved", Decimal("0.27"))] * 2


def test_digest_is_the_sha256_of_the_sorted_lines() -> None:
    run = frozen(owed(3))

    text = "".join(f"{line}\n" for line in sorted(lines_of(run)))

    assert sha256(text.encode()).hexdigest() == run.digest


def test_run_leaves_out_what_is_decided_held_or_in_another_run() -> None:
    free, held, taken, sent = [*owed(3), make_bonus(status="sent")]
    run_rows.hold_bonuses(bonuses=[held], reason="Looks odd", by=staff(), now=NOW)
    prepared([taken])

    run = prepared([free, held, taken, sent])

    assert [row.bonus for row in run.rows.all()] == [free]
    refuses("nothing_owed", lambda: prepared([held, taken, sent]))


def test_run_leaves_out_studies_that_its_preparer_does_not_see() -> None:
    by = make_permitted("prepare_run")
    own, other = owed(2)
    own.assignment.hit.batch.study.members.add(by)

    run = prepared([own, other], by=by)

    assert [row.bonus for row in run.rows.all()] == [own]


def test_draft_grows_and_shrinks() -> None:
    first, second, third = owed(3)
    run = prepared([first])
    by = run.prepared_by

    added = bonus_runs.add_to_run(run=run, bonuses=[first, second, third], by=by, now=NOW)
    out = run_rows.take_out(run=run, bonuses=[first], by=by, now=NOW)

    assert (added, out, run.count) == (2, 1, 2)
    assert [row.bonus for row in run.rows.order_by("pk")] == [second, third]
    assert prepared([first]).count == 1


def test_only_who_prepares_a_run_changes_it() -> None:
    first, second = owed(2)
    run, other = prepared([first]), staff()

    refuses("not_yours", lambda: bonus_runs.add_to_run(run=run, bonuses=[second], by=other, now=NOW))
    refuses("not_yours", lambda: run_rows.take_out(run=run, bonuses=[first], by=other, now=NOW))
    refuses("not_yours", lambda: bonus_runs.freeze_run(run=run, by=other, now=NOW))
    refuses("not_yours", lambda: bonus_runs.dissolve_run(run=run, by=other, now=NOW))
    refuses(
        "not_yours",
        lambda: run_rows.split_run(run=run, bonuses=[first], title="Two", by=other, now=NOW),
    )


def test_run_of_somebody_who_left_is_dissolved_by_another_preparer() -> None:
    run = prepared(owed())
    User.objects.filter(pk=run.prepared_by_id).update(is_active=False)

    bonus_runs.dissolve_run(run=run, by=staff(), now=NOW)

    assert (run.status, run.rows.get().is_live) == ("dissolved", False)


def test_frozen_run_takes_nothing_in_and_lets_nothing_out() -> None:
    first, second = owed(2)
    run = frozen([first])
    by = run.prepared_by

    refuses("not_now", lambda: bonus_runs.add_to_run(run=run, bonuses=[second], by=by, now=NOW))
    refuses("not_now", lambda: run_rows.take_out(run=run, bonuses=[first], by=by, now=NOW))
    refuses("not_now", lambda: bonus_runs.freeze_run(run=run, by=by, now=NOW))


def test_unfrozen_run_is_a_draft_whose_old_digest_approves_nothing() -> None:
    run = frozen(owed(2))
    seen = run.digest

    bonus_runs.unfreeze_run(run=run, by=run.prepared_by, now=NOW)

    assert (run.status, run.digest, run.frozen_at, lines_of(run)) == ("draft", "", None, [])
    refuses("not_frozen", lambda: bonus_runs.approve_run(run=run, digest=seen, by=staff(), now=NOW))


def test_dissolved_run_frees_its_bonuses() -> None:
    bonuses = owed(2)
    run = frozen(bonuses)

    bonus_runs.dissolve_run(run=run, by=run.prepared_by, now=NOW)

    assert (run.status, statuses()) == ("dissolved", ["owed", "owed"])
    assert prepared(bonuses).count == 2


def test_refused_run_says_why_and_frees_its_bonuses() -> None:
    bonuses = owed()
    run = frozen(bonuses)

    bonus_runs.refuse_run(run=run, reason=" Rejected  work is in it ", by=staff(), now=LATER)

    assert (run.status, run.reason, statuses()) == ("refused", "Rejected work is in it", ["owed"])
    assert prepared(bonuses).count == 1


def test_run_is_decided_by_nobody_who_may_not() -> None:
    run = frozen(owed())
    nobody, blind = make_user(), make_permitted("approve_run")

    for by, code in ((run.prepared_by, "same_person"), (nobody, "not_allowed"), (blind, "not_visible")):
        refuses(code, partial(bonus_runs.approve_run, run=run, digest=run.digest, by=by, now=NOW))
        refuses(code, partial(bonus_runs.refuse_run, run=run, reason="No", by=by, now=NOW))
    refuses("other_manifest", lambda: bonus_runs.approve_run(run=run, digest="0" * 64, by=staff(), now=NOW))
    refuses("no_reason", lambda: bonus_runs.refuse_run(run=run, reason="  ", by=staff(), now=NOW))


@pytest.mark.parametrize("tie", ["created_by", "launched_by"])
def test_large_run_is_not_approved_by_the_owner_of_a_batch(tie: str) -> None:
    owner = staff()
    batch = make_batch(status="open", study=make_study(large_run=Decimal(1)), **{tie: owner})
    work = make_assignment(hit=make_hit(batch=batch), status="approved")
    small = frozen(owed(assignment=work, rule="small", amount=Decimal(1)))
    large = frozen(owed(assignment=work, rule="large", amount=Decimal("1.01")))

    assert bonus_runs.approve_run(run=small, digest=small.digest, by=owner, now=NOW)
    refuses("batch_owner", lambda: bonus_runs.approve_run(run=large, digest=large.digest, by=owner, now=NOW))
    bonus_runs.refuse_run(run=large, reason="Too much", by=owner, now=NOW)

    assert large.status == "refused"


def test_large_run_is_not_approved_in_pieces_by_the_owner_of_a_batch() -> None:
    owner = staff()
    batch = make_batch(status="open", study=make_study(large_run=Decimal(1)), created_by=owner)
    work = make_assignment(hit=make_hit(batch=batch), status="approved")
    pieces = [frozen(owed(assignment=work, rule=name, amount=Decimal("0.60"))) for name in ("one", "two")]

    assert bonus_runs.approve_run(run=pieces[0], digest=pieces[0].digest, by=owner, now=NOW)
    refuses(
        "batch_owner",
        lambda: bonus_runs.approve_run(run=pieces[1], digest=pieces[1].digest, by=owner, now=NOW),
    )

    assert pieces[1].status == "frozen"


@pytest.mark.parametrize(
    "change",
    [
        {"amount": Decimal("0.02")},
        {"reason": "Another."},
        {"rule": "another"},
        {"token": "6a1e6f2e-7d0c-4c53-8a3f-111111111111"},
        {"status": "approved", "before_runs": True},
    ],
    ids=lambda change: next(iter(change)),
)
def test_row_changed_after_the_freeze_voids_the_approval(change: dict[str, Any]) -> None:
    bonuses = owed(2)
    run = frozen(bonuses)
    Bonus.objects.filter(pk=bonuses[0].pk).update(**change)

    done = bonus_runs.approve_run(run=run, digest=run.digest, by=staff(), now=NOW)

    assert (done, run.status, run.decided_by) == (False, "void", None)
    assert Bonus.objects.get(pk=bonuses[1].pk).status == "owed"
    assert kinds()[-1] == "run.void"
    assert not RunRow.objects.filter(is_live=True).exists()


def test_grant_code_or_work_changed_after_the_freeze_voids_the_approval() -> None:
    first, second = frozen(owed()), frozen(owed())
    Study.objects.filter(batches__hits__assignments__bonuses__rows__run=first).update(grant_code="OTHER")
    second.rows.get().bonus.assignment.__class__.objects.filter(bonuses__rows__run=second).update(
        status="rejected"
    )

    done = [
        bonus_runs.approve_run(run=run, digest=run.digest, by=staff(), now=NOW) for run in (first, second)
    ]

    assert (done, first.status, second.status) == ([False, False], "void", "void")


def test_line_changed_in_the_run_itself_voids_the_approval() -> None:
    run = frozen(owed())
    bonus = run.rows.get().bonus
    bonus.amount = Decimal("9.99")
    bonus.save()
    run.rows.update(line=rows_of(run)[0].line_now)

    assert bonus_runs.approve_run(run=run, digest=run.digest, by=staff(), now=NOW) is False
    assert (run.status, statuses()) == ("void", ["owed"])


def test_waived_run_gives_its_bonuses_up_by_two_people() -> None:
    bonuses = owed()

    refuses("no_reason", lambda: prepared(bonuses, kind="waive"))
    run = approved(bonuses, kind="waive", note="Made twice by mistake")

    assert (run.status, statuses()) == ("approved", ["waived"])


def test_held_bonus_leaves_its_draft_and_can_be_released() -> None:
    odd, fine = owed(2)
    run = prepared([odd, fine])

    run_rows.hold_bonuses(bonuses=[odd], reason="Looks odd", by=staff(), now=NOW)

    run.refresh_from_db()
    odd.refresh_from_db()
    assert (run.status, run.count, odd.held_reason) == ("draft", 1, "Looks odd")
    refuses(
        "nothing_owed", lambda: bonus_runs.add_to_run(run=run, bonuses=[odd], by=run.prepared_by, now=NOW)
    )
    run_rows.release_bonuses(bonuses=[odd], by=staff(), now=NOW)
    assert bonus_runs.add_to_run(run=run, bonuses=[odd], by=run.prepared_by, now=NOW) == 1


def test_held_bonus_voids_its_frozen_run() -> None:
    odd, fine = owed(2)
    run = frozen([odd, fine])

    run_rows.hold_bonuses(bonuses=[odd], reason="Looks odd", by=staff(), now=NOW)

    run.refresh_from_db()
    assert (run.status, statuses()) == ("void", ["owed", "owed"])
    assert prepared([odd, fine]).count == 1


def test_bonus_is_not_held_without_a_reason_or_twice_or_once_decided() -> None:
    [bonus] = owed()
    sent = make_bonus(status="sent")
    by = staff()

    refuses("no_reason", lambda: run_rows.hold_bonuses(bonuses=[bonus], reason=" ", by=by, now=NOW))
    refuses("nothing_owed", lambda: run_rows.hold_bonuses(bonuses=[sent], reason="Odd", by=by, now=NOW))
    refuses(
        "not_allowed", lambda: run_rows.hold_bonuses(bonuses=[bonus], reason="Odd", by=make_user(), now=NOW)
    )
    refuses("not_held", lambda: run_rows.release_bonuses(bonuses=[bonus], by=by, now=NOW))


@pytest.mark.parametrize("make", [prepared, frozen])
def test_split_run_makes_two_drafts(make: Callable[..., Run]) -> None:
    first, second = owed(2)
    run = make([first, second])

    new = run_rows.split_run(run=run, bonuses=[second], title="Odd ones", by=run.prepared_by, now=NOW)

    assert [(part.status, part.count, part.digest) for part in (run, new)] == [("draft", 1, "")] * 2
    assert (new.split_from, new.rows.get().bonus, new.rows.get().line) == (run, second, "")
    refuses(
        "all_of_it",
        lambda: run_rows.split_run(run=run, bonuses=[first], title="All", by=run.prepared_by, now=NOW),
    )


def test_payer_is_let_through_by_one_query_while_nothing_changed() -> None:
    bonuses = owed(2)
    approved(bonuses)
    bonuses[0].refresh_from_db()

    with CaptureQueriesContext(connection) as queries:
        stopped = bonus_runs.void_if_changed(bonus=bonuses[0], now=LATER)

    assert (stopped, len(queries)) == (False, 1)


def test_row_changed_after_the_approval_voids_the_run_and_what_is_unsent_is_owed_again() -> None:
    sent, changed, waiting = owed(3)
    run = approved([sent, changed, waiting])
    Bonus.objects.filter(pk=sent.pk).update(status="sent")
    Bonus.objects.filter(pk=changed.pk).update(amount=Decimal("9.99"))

    stopped = bonus_runs.void_if_changed(bonus=changed, now=LATER)

    run.refresh_from_db()
    assert (stopped, run.status, statuses()) == (True, "void", ["sent", "owed", "owed"])
    assert list(run.rows.order_by("pk").values_list("is_live", flat=True)) == [True, False, False]
    assert kinds()[-1] == "run.void"
    again = Bonus.objects.get(pk=waiting.pk)
    assert (again.approved_by, again.prepared_by, again.approved_at) == (None, None, None)
    assert approved([changed, waiting]).count == 2


def test_bonus_that_comes_back_from_unknown_after_its_run_was_voided_is_not_sent() -> None:
    lost, changed = owed(2)
    approved([lost, changed])
    Bonus.objects.filter(pk=lost.pk).update(status="unknown")
    Bonus.objects.filter(pk=changed.pk).update(amount=Decimal("9.99"))
    bonus_runs.void_if_changed(bonus=changed, now=LATER)
    Bonus.objects.filter(pk=lost.pk).update(status="approved")

    assert bonus_runs.void_if_changed(bonus=lost, now=LATER) is True
    assert (statuses(), RunRow.objects.filter(is_live=True).count()) == (["owed", "owed"], 0)


def test_approved_bonus_that_no_run_knows_is_not_sent() -> None:
    [bonus] = owed()
    Bonus.objects.filter(pk=bonus.pk).update(
        status="approved", approved_by=staff(), prepared_by=staff(), approved_at=NOW
    )

    assert bonus_runs.void_if_changed(bonus=bonus, now=LATER) is True
    assert (statuses(), kinds()) == (["owed"], ["run.void"])


def test_bonus_approved_before_there_were_runs_is_sent() -> None:
    assert bonus_runs.void_if_changed(bonus=make_bonus(before_runs=True), now=LATER) is False


def test_outliers_are_marked_at_the_freeze() -> None:
    study = make_study(large_bonus=Decimal(5), many_bonuses=1)
    batch = make_batch(status="open", study=study)
    hit = make_hit(batch=batch)
    twice = make_assignment(hit=hit, status="approved")
    rejected = make_assignment(hit=hit, status="rejected", kept_out=True)
    blocked = make_assignment(hit=hit, status="approved")
    block_worker(worker=blocked.worker, kind="soft", reason="Random", by=staff(), now=NOW)
    plain = make_assignment(hit=hit, status="approved")
    make_bonus(assignment=plain, rule="flat", amount=Decimal("0.50"))

    run = frozen(
        [
            *owed(assignment=twice),
            *owed(assignment=twice, rule="flat"),
            *owed(assignment=rejected),
            *owed(assignment=blocked, amount=Decimal("5.01")),
            *owed(assignment=plain),
        ]
    )

    assert list(run.rows.order_by("pk").values_list("flags", flat=True)) == [
        ["One of 2 bonuses for this worker: more than 1."],
        ["One of 2 bonuses for this worker: more than 1."],
        ["The work was rejected.", "The work is kept out of the data."],
        ["The worker is blocked.", "Above $5.00."],
        ["Another bonus of this work is on its way: “flat”, $0.50."],
    ]


def test_amount_unlike_the_others_of_its_rule_is_marked() -> None:
    hit = make_hit()
    amounts = ["0.01", "0.01", "0.01", "0.01", "0.04"]

    run = frozen(
        [
            make_bonus(
                status="owed", assignment=make_assignment(hit=hit, status="approved"), amount=Decimal(amount)
            )
            for amount in amounts
        ]
    )

    assert list(run.rows.order_by("pk").values_list("flags", flat=True)) == [
        *[[]] * 4,
        ["More than 3 times what its rule usually pays here ($0.01)."],
    ]


def test_freeze_and_approval_take_as_many_queries_for_many_rows() -> None:
    batch = make_batch(status="open")
    counts = []
    for size in (2, 12):
        hit = make_hit(batch=batch)
        run = prepared(
            [
                make_bonus(status="owed", assignment=make_assignment(hit=hit, status="approved"))
                for _ in range(size)
            ]
        )
        approver = staff()
        with CaptureQueriesContext(connection) as queries:
            bonus_runs.freeze_run(run=run, by=run.prepared_by, now=NOW)
            bonus_runs.approve_run(run=run, digest=run.digest, by=approver, now=NOW)
        counts.append(len(queries))

    assert counts[0] == counts[1]
