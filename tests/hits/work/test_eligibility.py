"""Entry policies: which workers may start a HIT, and how many workers a plan can count on."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.blocks import Block
from hits.identity.models.workers import Worker
from hits.people.queries.worker_pool import known_workers, recruiting_facts
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.services.eligibility import refuse_entry
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_batch,
    make_hit,
    make_study,
    make_user,
    make_worker,
)
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
OWN = "3QUALIFICATIONOFOUROWN0000"


def refusal(hit: HIT, worker: Worker) -> str:
    """The code of the refusal, or an empty text where the worker may start."""
    hit = HIT.objects.select_related("batch__account", "batch__study").get(pk=hit.pk)
    try:
        refuse_entry(hit=hit, worker=worker, now=NOW)
    except RuleBroken as broken:
        return broken.code if "return this work" in str(broken) else str(broken)
    return ""


def block(worker: Worker, *, kind: str = "soft", status: str = "active") -> Block:
    return Block.objects.create(
        worker=worker, kind=kind, status=status, reason="Answers at random", by=make_user(), made_at=NOW
    )


def next_batch(earlier: Batch, **changes: object) -> Batch:
    return make_batch(status="open", account=earlier.account, study=earlier.study, **changes)


def test_entry_of_a_new_worker_is_open() -> None:
    hit = make_hit()

    assert refusal(hit, make_worker(account=hit.batch.account)) == ""


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        ("soft", "active", "blocked"),
        ("hard", "intended", "blocked"),
        ("hard", "active", "blocked"),
        ("hard", "lifting", ""),
        ("soft", "lifted", ""),
        ("hard", "refused", ""),
    ],
)
def test_entry_of_a_blocked_worker_is_refused_without_an_accusation(
    kind: str, status: str, code: str
) -> None:
    hit = make_hit()
    worker = make_worker(account=hit.batch.account)
    block(worker, kind=kind, status=status)

    assert refusal(hit, worker) == code
    if code:
        with pytest.raises(RuleBroken) as refused:
            refuse_entry(hit=hit, worker=worker, now=NOW)
        assert "block" not in str(refused.value).lower()
        assert "random" not in str(refused.value)


@pytest.mark.parametrize("status", [status for status in Assignment.Status if status != "gone"])
def test_entry_after_work_in_an_excluded_batch_is_refused(status: str) -> None:
    earlier = make_assignment(status=status, answer={})
    batch = next_batch(earlier.hit.batch)
    batch.exclude_batches.add(earlier.hit.batch)

    assert refusal(make_hit(batch=batch), earlier.worker) == "took_part"


def test_entry_after_returned_work_in_an_excluded_batch_is_open() -> None:
    earlier = make_assignment(status="gone")
    batch = next_batch(earlier.hit.batch)
    batch.exclude_batches.add(earlier.hit.batch)

    assert refusal(make_hit(batch=batch), earlier.worker) == ""


def test_exclusion_is_not_mutual() -> None:
    earlier = make_assignment()
    later = next_batch(earlier.hit.batch)
    earlier.hit.batch.exclude_batches.add(later)

    assert refusal(make_hit(batch=later), earlier.worker) == ""


@pytest.mark.parametrize(
    ("groups", "code"),
    [(("cold", "cold"), "repeat_group"), (("cold", "warm"), ""), (("", ""), ""), (("cold", ""), "")],
)
def test_entry_into_a_second_batch_of_a_repeat_group_is_refused(groups: tuple[str, str], code: str) -> None:
    earlier = make_assignment(hit=make_hit(batch=make_batch(status="open", repeat_group=groups[0])))
    batch = next_batch(earlier.hit.batch, repeat_group=groups[1])

    assert refusal(make_hit(batch=batch), earlier.worker) == code


def test_entry_into_the_same_batch_of_a_repeat_group_again_is_open() -> None:
    earlier = make_assignment(hit=make_hit(batch=make_batch(status="open", repeat_group="cold")))

    assert refusal(make_hit(batch=earlier.hit.batch), earlier.worker) == ""


def test_repeat_groups_of_two_accounts_are_two_groups() -> None:
    earlier = make_assignment(hit=make_hit(batch=make_batch(status="open", repeat_group="cold")))
    elsewhere = make_batch(status="open", repeat_group="cold", study=make_study(), account=make_account())

    assert refusal(make_hit(batch=elsewhere), earlier.worker) == ""


@pytest.mark.parametrize(("number", "code"), [(1, "other_shard"), (2, "")])
def test_entry_into_another_shard_of_one_task_is_refused(number: int, code: str) -> None:
    batch = make_batch(status="open", assignments_per_hit=12)
    earlier = make_assignment(hit=make_hit(batch=batch, number=1))

    assert refusal(make_hit(batch=batch, number=number), earlier.worker) == code
    assert refusal(earlier.hit, earlier.worker) == ""


@pytest.mark.parametrize("status", ["paused", "paused_funds", "draining", "complete", "launching", "open"])
def test_what_the_provider_let_in_is_honored_in_a_batch_that_stands_still(status: str) -> None:
    hit = make_hit(batch=make_batch(status=status))

    assert refusal(hit, make_worker(account=hit.batch.account)) == ""


def test_entry_before_our_row_heard_of_the_sending_is_open() -> None:
    hit = make_hit(status="intended", external_id="", sent_at=None)

    assert refusal(hit, make_worker(account=hit.batch.account)) == ""


def test_entry_into_what_is_over_is_refused() -> None:
    closed, cancelled = make_hit(), make_hit(batch=make_batch(status="cancelled"))
    worker = make_worker(account=closed.batch.account)
    move(closed, HIT.Status.CLOSED)

    assert refusal(closed, worker) == "not_open"
    assert refusal(cancelled, make_worker(account=cancelled.batch.account)) == "not_open"


def test_decision_takes_two_queries_however_many_rules_there_are() -> None:
    batch = make_batch(status="open", assignments_per_hit=12, repeat_group="cold")
    batch.exclude_batches.add(*(next_batch(batch, repeat_group="cold") for _ in range(3)))
    worker = make_worker(account=batch.account)
    for earlier in Batch.objects.exclude(pk=batch.pk):
        make_assignment(hit=make_hit(batch=earlier), worker=worker, status="gone")
    hit = make_hit(batch=batch)

    with CaptureQueriesContext(connection) as queries:
        refuse_entry(hit=hit, worker=worker, now=NOW)

    # Two of the queries are entry policies: whether the worker is under age, and the gates of the study.
    assert len([query for query in queries if "SAVEPOINT" not in query["sql"]]) == 4


def test_known_workers_are_those_whom_entry_would_let_in() -> None:
    account = make_account()
    excluded, group = (make_batch(status="open", account=account, repeat_group=name) for name in ("", "cold"))
    batch = make_batch(account=account, repeat_group="cold")
    batch.exclude_batches.add(excluded)
    free, blocked, took_part, repeats = (make_worker(account=account) for _ in range(4))
    make_worker()
    block(blocked)
    make_assignment(hit=make_hit(batch=excluded), worker=took_part)
    make_assignment(hit=make_hit(batch=group), worker=repeats)

    hit = make_hit(batch=batch)
    let_in = [worker for worker in (free, blocked, took_part, repeats) if not refusal(hit, worker)]

    assert list(known_workers(batch)) == let_in == [free]


def requirement(kind: str = OWN, comparator: str = "Exists") -> dict[str, str]:
    return {"QualificationTypeId": kind, "Comparator": comparator}


def test_recruiting_facts_say_how_many_are_needed_and_how_many_there_are(turk: StubbedTurk) -> None:
    turk.qualified[OWN] = [f"AWORKER{number}" for number in range(101)]
    batch = make_batch(
        assignments_per_hit=120,
        hits_wanted=2,
        requirements=[requirement(), requirement("000000000000000000L0", "GreaterThan")],
    )
    block(make_worker(account=batch.account))
    make_worker(account=batch.account)  # only named, or invited
    worked = make_worker(account=batch.account)
    make_assignment(hit=make_hit(batch=make_batch(account=batch.account)), worker=worked, status="approved")

    facts = recruiting_facts(batch, turk.provider, required=batch.requirements)

    assert (facts.needed, facts.assignments, facts.known, facts.shut_out) == (120, 240, 1, 1)
    assert [(row.qualification_type_id, row.count) for row in facts.qualified] == [(OWN, 101)]
    assert facts.is_short
    assert facts.words == [
        "The plan needs 120 different workers for each task, and 240 assignments in all.",
        (
            "1 worker has worked on this account before; 1 more may not take part. "
            "Others can find the HITs too."
        ),
        f"101 workers hold qualification {OWN}.",
        "Fewer workers hold a qualification than one task needs: grant it to more, or ask for fewer.",
    ]


def test_recruiting_facts_without_an_answer_are_unknown_and_ask_no_further(turk: StubbedTurk) -> None:
    operation = "list_workers_with_qualification_type"
    turk.faults[operation] = ["before"]
    batch = make_batch(requirements=[requirement(), requirement("3ANOTHER0000000000000000")])

    facts = recruiting_facts(batch, turk.provider, required=batch.requirements)

    assert [row.count for row in facts.qualified] == [None, None]
    assert not facts.is_short
    assert turk.calls == [operation]
    assert [row.count for row in recruiting_facts(batch, None, required=batch.requirements).qualified] == [
        None,
        None,
    ]


def test_qualification_that_bars_is_no_shortage(turk: StubbedTurk) -> None:
    turk.qualified[OWN] = ["AWORKER1"]
    batch = make_batch(requirements=[requirement(comparator="DoesNotExist")])

    facts = recruiting_facts(batch, turk.provider, required=batch.requirements)

    assert not facts.is_short
    assert facts.words[-1] == f"1 worker holds qualification {OWN}, and may not take part."


@pytest.mark.needs_postgres
@pytest.mark.django_db(transaction=True)
def test_two_visits_at_once_in_one_repeat_group_open_one() -> None:
    account = make_account()
    hits = [make_hit(batch=make_batch(status="open", account=account, repeat_group="cold")) for _ in range(6)]
    worker = make_worker(account=account)
    together = Barrier(len(hits))

    def visit(hit: HIT) -> str:
        together.wait()
        try:
            with transaction.atomic():
                refuse_entry(hit=hit, worker=worker, now=NOW)
                make_assignment(hit=hit, worker=worker)
        except RuleBroken as broken:
            return broken.code
        finally:
            connection.close()
        return "opened"

    with ThreadPoolExecutor(len(hits)) as pool:
        outcomes = sorted(pool.map(visit, hits))

    assert outcomes == ["opened", *["repeat_group"] * 5]
