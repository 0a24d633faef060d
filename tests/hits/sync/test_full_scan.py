from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from hits.core.errors import ProviderRefused
from hits.providers.gateway import registry
from hits.providers.models.accounts import Account, Stranger
from hits.studies.models import Batch
from hits.sync.services import reconciling
from hits.sync.services.full_scan import RETRY, survey
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision
from hits.work.models.hits import HIT, Change
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from hits.work.services import leasing
from tests.factories import NOW, make_account, make_user
from tests.hits.posted import DEADLINE, open_as, post_batch, post_hit, save_as
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
Status = HIT.Status


def at(seconds: float) -> Any:
    return NOW + timedelta(seconds=seconds)


@pytest.fixture
def hit(turk: StubbedTurk) -> HIT:
    """HIT that is open at the provider for two workers, read once, and not due before tomorrow."""
    hit = post_hit()
    reconciling.reconcile(now=NOW)
    turk.calls.clear()
    hit.refresh_from_db()
    return hit


def copy_there(turk: StubbedTurk, hit: HIT, **changes: Any) -> str:
    """Make another HIT at the provider, equal to this one but for the changes."""
    external_id = f"HITX{len(turk.hits):026}"
    turk.hits[external_id] = {**turk.hits[hit.external_id], "HITId": external_id, **changes}
    return external_id


# Changes that no event told.


def test_quiet_account_costs_a_call_for_a_hundred_hits(turk: StubbedTurk) -> None:
    turk.balance *= 10
    post_batch(hits_wanted=101)
    turk.calls.clear()

    survey(now=NOW)
    found = survey(now=NOW, force=True)

    assert turk.calls == ["list_hits"] * 4
    assert (found["HITs"], found["changed"]) == (101, 0)


def test_untouched_hits_need_no_look_of_their_own(hit: HIT, turk: StubbedTurk) -> None:
    HIT.objects.update(seen="")

    survey(now=at(10))

    assert HIT.objects.get().look_at == hit.look_at
    assert HIT.objects.get().seen.startswith("Assignable 2/0/0/2")


def test_work_that_nothing_told_of_is_found(hit: HIT, turk: StubbedTurk) -> None:
    turk.submit(hit.external_id, answer="x")

    found = survey(now=at(10))
    reconciling.reconcile(now=at(10))

    assert found["changed"] == 1
    assert Assignment.objects.get().status == Assignment.Status.SUBMITTED


def test_hit_that_ended_is_looked_at_long_before_the_next_survey(hit: HIT, turk: StubbedTurk) -> None:
    survey(now=NOW)
    turk.hits[hit.external_id]["expired"] = True
    turk.calls.clear()

    survey(now=at(30))
    reconciling.reconcile(now=at(30))

    assert turk.calls[0] == "list_reviewable_hits"
    assert HIT.objects.get().status == Status.CLOSED


def test_hit_that_was_not_marked_as_seen_is_marked_later(turk: StubbedTurk) -> None:
    first, second = post_batch(hits_wanted=2).hits.order_by("pk")
    survey(now=NOW)
    turk.hits[first.external_id]["expired"] = True
    turk.faults["update_hit_review_status"] = ["before"]
    reconciling.reconcile(now=NOW)
    unmarked = turk.hits[first.external_id]["seen"]

    survey(now=at(30))

    assert (unmarked, turk.hits[first.external_id]["seen"]) == (False, True)
    assert HIT.objects.get(pk=second.pk).status == Status.OPEN


def test_overdue_work_is_looked_at_even_if_its_look_was_lost(hit: HIT, turk: StubbedTurk) -> None:
    open_as(hit, assignment="GONE", worker="AGONE")
    end = DEADLINE + leasing.GRACE
    HIT.objects.update(look_at=end + timedelta(days=1))

    survey(now=end)
    reconciling.reconcile(now=end)

    assert Assignment.objects.get().status == Assignment.Status.GONE
    assert Item.objects.get().wanted == 3


# HITs that a crash left without a row that knows them, and rows without a HIT.


@pytest.mark.parametrize("status", ["launching", "paused", "draining"])
def test_intent_that_the_provider_has_is_adopted(hit: HIT, turk: StubbedTurk, status: str) -> None:
    HIT.objects.update(status="intended", external_id="", sent_at=None, asked_at=NOW, look_at=None)
    Batch.objects.update(status=status, hit_type_id="", is_stale=False)

    found = survey(now=at(10))

    adopted = HIT.objects.get()
    assert found["adopted"] == 1
    assert (adopted.status, adopted.external_id) == (Status.OPEN, hit.external_id)
    assert (adopted.sent_at, adopted.look_at, adopted.expires_at) == (NOW, at(10), hit.expires_at)
    assert (Batch.objects.get().hit_type_id, Batch.objects.get().is_stale) == (hit.batch.hit_type_id, True)


def test_stranger_that_shows_our_page_is_stopped_and_recorded_once(hit: HIT, turk: StubbedTurk) -> None:
    stranger = copy_there(turk, hit, RequesterAnnotation=f"crowd:{uuid4()}")

    found = [survey(now=at(seconds), force=True)["strangers"] for seconds in (10, 20)]

    assert found == [1, 0]
    recorded = Stranger.objects.get()
    assert (recorded.external_id, recorded.found_at, recorded.expired_at) == (stranger, at(10), at(10))
    assert turk.hits[stranger]["expired"]
    assert not turk.hits[hit.external_id]["expired"]


def test_second_hit_of_one_intent_is_a_stranger(hit: HIT, turk: StubbedTurk) -> None:
    double = copy_there(turk, hit)

    survey(now=at(10))

    assert (turk.hits[double]["expired"], turk.hits[hit.external_id]["expired"]) == (True, False)


@pytest.mark.parametrize(
    "changes",
    [
        {"RequesterAnnotation": "somebody else's"},
        {"RequesterAnnotation": "crowd:x", "Question": "<ExternalURL>https://example.org/q</ExternalURL>"},
        {"RequesterAnnotation": "crowd:x", "Question": "<ExternalURL>http://127.0.0.1:80001/q</ExternalURL>"},
    ],
)
def test_other_programs_hits_are_left_alone(
    hit: HIT, turk: StubbedTurk, changes: dict[str, str], settings: LazySettings
) -> None:
    settings.PUBLIC_URL = "http://127.0.0.1:8000"
    other = copy_there(turk, hit, **changes)

    survey(now=at(10))

    assert (turk.hits[other]["expired"], Stranger.objects.count()) == (False, 0)


def test_hit_of_the_same_account_entered_twice_is_no_stranger(hit: HIT, turk: StubbedTurk) -> None:
    make_account()

    survey(now=at(10))

    assert (turk.hits[hit.external_id]["expired"], Stranger.objects.count()) == (False, 0)


def test_stranger_that_could_not_be_stopped_is_stopped_by_the_next_survey(
    hit: HIT, turk: StubbedTurk
) -> None:
    stranger = copy_there(turk, hit, RequesterAnnotation="crowd:x")
    turk.faults["update_expiration_for_hit"] = ["before"]

    survey(now=at(10))
    failed = Stranger.objects.get()
    survey(now=at(20), force=True)

    assert failed.expired_at is None
    assert failed.problem != ""
    assert (Stranger.objects.get().expired_at, Stranger.objects.get().problem) == (at(20), "")
    assert turk.hits[stranger]["expired"]


def test_provider_that_lists_no_questions_is_asked_for_the_unknown_hits_alone(
    hit: HIT, turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = copy_there(turk, hit, RequesterAnnotation="crowd:x")
    listed = turk._list_hits
    monkeypatch.setattr(
        turk,
        "_list_hits",
        lambda **page: {
            **(answer := listed(**page)),
            "HITs": [{name: row[name] for name in row if name != "Question"} for row in answer["HITs"]],
        },
    )

    survey(now=at(10))

    assert turk.calls == ["list_hits", "get_hit", "update_expiration_for_hit"]
    assert turk.hits[stranger]["expired"]


def test_hit_that_a_whole_pass_does_not_show_is_asked_for_by_name(turk: StubbedTurk) -> None:
    first, second = post_batch(hits_wanted=2).hits.order_by("pk")
    reconciling.reconcile(now=NOW)
    del turk.hits[first.external_id]

    found = survey(now=at(10))
    reconciling.reconcile(now=at(10))

    assert found["missing"] == 1
    assert HIT.objects.get(pk=first.pk).status == Status.CLOSED
    assert HIT.objects.get(pk=second.pk).status == Status.OPEN


def test_hit_that_was_thought_lost_is_opened_and_read_again(hit: HIT, turk: StubbedTurk) -> None:
    """The account's keys were wrong for a while, for example."""
    turk.submit(hit.external_id, answer="x")
    kept = dict(turk.hits)
    turk.hits.clear()
    reconciling.reconcile_everything(now=at(10))
    Batch.objects.update(status="complete")
    lost = HIT.objects.get().status
    turk.hits.update(kept)

    found = reconciling.reconcile_everything(now=at(20))

    assert (lost, found["reopened"]) == (Status.CLOSED, 1)
    assert (HIT.objects.get().status, HIT.objects.get().problem) == (Status.OPEN, "")
    assert Batch.objects.get().status == Batch.Status.OPEN
    assert Assignment.objects.get().status == Assignment.Status.SUBMITTED


def test_hit_that_was_thought_lost_and_is_over_is_read(hit: HIT, turk: StubbedTurk) -> None:
    kept = dict(turk.hits)
    turk.hits.clear()
    reconciling.reconcile_everything(now=at(10))
    turk.hits.update(kept)
    for _ in range(2):
        turk.submit(hit.external_id, answer="x")

    for seconds in (20, 30):
        turk.calls.clear()
        survey(now=at(seconds), force=True)

    assert Assignment.objects.filter(status=Assignment.Status.SUBMITTED).count() == 2
    assert turk.calls == ["list_hits"]


def test_hit_that_was_lengthened_there_after_its_batch_was_cancelled_is_stopped(
    hit: HIT, turk: StubbedTurk
) -> None:
    HIT.objects.update(status="closed", closed_at=NOW)
    Batch.objects.update(status="cancelled")

    survey(now=at(10))

    assert HIT.objects.get().status == Status.OPEN
    assert Change.objects.get().kind == Change.Kind.EXPIRE


def test_hit_that_closed_during_the_pass_stays_closed(hit: HIT, turk: StubbedTurk) -> None:
    HIT.objects.update(status="closed", closed_at=at(11))

    survey(now=at(10))

    assert HIT.objects.get().status == Status.CLOSED


def test_decision_there_on_work_of_a_closed_hit_is_mirrored(hit: HIT, turk: StubbedTurk) -> None:
    work = [turk.submit(hit.external_id, answer="x")[0] for _ in range(2)]
    reconciling.reconcile_everything(now=at(10))
    turk.reject(work[1])

    for seconds in (20, 30):
        turk.calls.clear()
        survey(now=at(seconds), force=True)

    ours = dict(Assignment.objects.values_list("external_id", "status"))
    assert ours == {work[0]: "submitted", work[1]: "rejected"}
    assert turk.calls == ["list_hits"]


# When the full scan runs, and for which accounts.


def test_survey_is_made_at_its_time(hit: HIT, turk: StubbedTurk, settings: LazySettings) -> None:
    settings.SURVEY_S = 600

    for seconds in (0, 30, 599, 600):
        survey(now=at(seconds))

    listings = [call for call in turk.calls if call == "list_hits"]
    assert (len(listings), Account.objects.get().surveyed_at) == (2, at(600))


def test_pass_that_broke_off_is_made_again_soon(turk: StubbedTurk, settings: LazySettings) -> None:
    settings.SURVEY_S = 600
    turk.balance *= 10
    post_batch(hits_wanted=101)
    turk.calls.clear()
    turk.faults["list_hits"] = ["", "before"]

    found = survey(now=NOW)
    survey(now=NOW + RETRY)

    assert (found["accounts not read"], found["missing"]) == (1, 0)
    assert turk.calls == ["list_hits"] * 4


def test_account_that_cannot_be_used_leaves_the_others_to_be_surveyed(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, sound = make_account(), post_hit().batch.account

    def provider(*, account_id: int, **_: Any) -> Any:
        if account_id == broken.pk:
            raise ProviderRefused("No such key.", code="BadEndpoint")
        return turk.provider

    monkeypatch.setattr(registry, "_boto_provider", provider)

    survey(now=at(10))

    surveyed = dict(Account.objects.values_list("pk", "surveyed_at"))
    assert surveyed == {broken.pk: None, sound.pk: at(10)}


def test_another_machine_that_began_the_pass_makes_it_alone(hit: HIT, turk: StubbedTurk) -> None:
    """The other machine began after this one had read the account's row."""
    stale = Account.objects.get()
    Account.objects.update(surveyed_at=at(9))
    turk.calls.clear()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hits.sync.services.full_scan.usable", lambda _: [(stale, turk.provider)])
        survey(now=at(10))

    assert turk.calls == []


def test_page_of_hits_costs_as_many_queries_whatever_is_on_it(turk: StubbedTurk) -> None:
    def queries_of(batch: Batch) -> int:
        batch.hits.update(status="closed", closed_at=NOW)
        for external_id in batch.hits.values_list("external_id", flat=True):
            turk.hits[external_id]["expired"] = True
        with CaptureQueriesContext(connection) as queries:
            survey(now=at(10), force=True)
        return len(queries)

    account = make_account()

    few = queries_of(post_batch(account=account, hits_wanted=3))
    many = queries_of(post_batch(account=account, hits_wanted=40))

    assert few == many


# The command for operators and tests.


def test_reconcile_everything_agrees_after_all_events_were_lost(turk: StubbedTurk) -> None:
    batch = post_batch(hits_wanted=4, items=1)
    filled, half, ended, adopted = batch.hits.order_by("pk")
    reconciling.reconcile(now=NOW)
    for hit in (filled, filled, half):
        turk.submit(hit.external_id, answer="x")
    saved_as, worker = turk.submit(adopted.external_id, answer="ours is saved here")
    save_as(adopted, assignment=saved_as, worker=worker)
    turk.hits[ended.external_id]["expired"] = True
    stranger = copy_there(turk, half, RequesterAnnotation="crowd:x")
    HIT.objects.filter(pk=adopted.pk).update(status="intended", external_id="")
    HIT.objects.update(look_at=at(99_999))

    reconciling.reconcile_everything(now=at(100))

    statuses = dict(batch.hits.values_list("external_id", "status"))
    assert statuses == {
        filled.external_id: "closed",
        half.external_id: "open",
        ended.external_id: "closed",
        adopted.external_id: "open",
    }
    there = {(work["AssignmentId"], work["HITId"]) for work in turk.assignments.values()}
    here = Assignment.objects.filter(status="submitted").values_list("external_id", "hit__external_id")
    assert set(here) == there
    assert turk.hits[stranger]["expired"]


def test_reconcile_everything_twice_finds_nothing_more(hit: HIT, turk: StubbedTurk) -> None:
    turk.submit(hit.external_id, answer="x")
    reconciling.reconcile_everything(now=at(10))
    before = list(Assignment.objects.values())

    found = reconciling.reconcile_everything(now=at(20))

    assert +found == {"HITs": 1}
    assert list(Assignment.objects.values()) == before


def test_command_says_what_it_found(hit: HIT, turk: StubbedTurk) -> None:
    turk.submit(hit.external_id, answer="x")
    written = StringIO()

    call_command("reconcile", stdout=written)

    assert written.getvalue().splitlines()[0] == "HITs: 1"
    assert Assignment.objects.get().status == Assignment.Status.SUBMITTED


def judged_and_closed(hit: HIT, turk: StubbedTurk, *, kind: str = "Approved") -> str:
    """Make work that is decided on both sides, of a HIT that is over."""
    assignment, worker = turk.submit(hit.external_id, answer="x")
    save_as(hit, assignment=assignment, worker=worker)
    turk.hits[hit.external_id]["expired"] = True
    reconciling.reconcile_everything(now=at(10))
    turk.assignments[assignment]["AssignmentStatus"] = kind
    Assignment.objects.update(status=kind.lower(), **{f"{kind.lower()}_at": at(20)})
    assert HIT.objects.get().status == HIT.Status.CLOSED
    turk.calls.clear()
    return assignment


@pytest.mark.parametrize(("kind", "call"), [("Approved", "approve"), ("Rejected", "reject")])
def test_our_word_that_was_never_heard_is_said_again(
    hit: HIT, turk: StubbedTurk, kind: str, call: str
) -> None:
    """The provider's yes to it was an old answer from a cache."""
    assignment = judged_and_closed(hit, turk, kind=kind)
    turk.assignments[assignment]["AssignmentStatus"] = "Submitted"
    Decision.objects.create(
        assignment=Assignment.objects.get(), kind=call, status="done", reason="Seen.", by=make_user(),
        made_at=NOW, send_at=NOW, ended_at=NOW,
    )  # fmt: skip

    survey(now=at(7200), force=False)

    assert turk.assignments[assignment]["AssignmentStatus"] == kind
    assert turk.calls.count(f"{call}_assignment") == 1


def test_our_word_of_a_moment_ago_is_not_said_again(hit: HIT, turk: StubbedTurk) -> None:
    assignment = judged_and_closed(hit, turk)
    turk.assignments[assignment]["AssignmentStatus"] = "Submitted"

    survey(now=at(60), force=True)

    assert "approve_assignment" not in turk.calls


def test_a_closed_hit_whose_counters_lag_is_read_once_an_hour(hit: HIT, turk: StubbedTurk) -> None:
    assignment = judged_and_closed(hit, turk)
    turk.assignments[assignment]["AssignmentStatus"] = "Submitted"
    turk.provider.approve_assignment = lambda *_, **__: None  # type: ignore[method-assign]  # says yes, and does not

    for minutes in (120, 130, 140, 185):
        survey(now=at(minutes * 60))

    assert turk.calls.count("list_assignments_for_hit") == 2


def test_work_that_was_lost_is_found_once_it_is_decided_there(hit: HIT, turk: StubbedTurk) -> None:
    """The list that closed the HIT was out of date."""
    assignment = judged_and_closed(hit, turk)
    Lease.objects.all().delete()
    Assignment.objects.all().delete()

    survey(now=at(7200))

    assert Assignment.objects.values_list("external_id", "status").get() == (assignment, "approved")


def test_reconciling_all_reads_every_list(hit: HIT, turk: StubbedTurk) -> None:
    judged_and_closed(hit, turk)

    reconciling.reconcile_everything(now=at(7200))
    usual = turk.calls.count("list_assignments_for_hit")
    call_command("reconcile", "--all", stdout=StringIO())

    assert (usual, turk.calls.count("list_assignments_for_hit")) == (0, 1)
