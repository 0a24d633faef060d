"""The inbox of events: each is kept once, applied in any order, and never more than a hint to look."""

import json
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st

from hits.core.errors import ProviderRefused
from hits.providers.gateway import registry
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.sync.domain import LONGEST, ReportedEvent, read_document, unwrap
from hits.sync.models import Event, Notice
from hits.sync.services import event_inbox
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.leases import Lease
from hits.work.services import leasing
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_hit,
    make_study,
    make_worker,
)
from tests.hits.loopback_queue import serving_queue
from tests.hits.notices import document, told
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
Status = Assignment.Status
LATER = NOW + timedelta(hours=1)


def open_hit(account: Account | None = None, *, external_id: str = "HIT1", **changes: Any) -> HIT:
    """Make an open HIT at which nothing would look for an hour."""
    account = account or make_account()
    batch = make_batch(account=account, status="open")
    return make_hit(batch=batch, external_id=external_id, look_at=LATER, **changes)


def hear(account: Account, *events: dict[str, Any], now: datetime = NOW) -> int:
    event_inbox.receive(account=account, document=document(*events), now=now)
    return event_inbox.handle_notices(now=now)


def rows() -> Any:
    """All rows that an event may ever change."""
    return (
        list(Assignment.objects.order_by("external_id", "worker").values()),
        list(HIT.objects.order_by("pk").values()),
        list(Lease.objects.order_by("pk").values()),
    )


def test_receive_keeps_a_document_once_and_sealed() -> None:
    account = make_account()
    said = document(told("HITReviewable"), document_id="doc-1")

    kept = [event_inbox.receive(account=account, document=said, now=NOW) for _ in range(3)]

    notice = Notice.objects.get()
    assert kept == [True, False, False]
    assert (notice.document_id, notice.body, notice.received_at, notice.handled_at) == (
        "doc-1",
        said,
        NOW,
        None,
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT body FROM hits_notice")
        assert "HITReviewable" not in cursor.fetchone()[0]


def test_receive_tells_accounts_apart() -> None:
    said = document(told("HITReviewable"), document_id="doc-1")

    kept = [event_inbox.receive(account=make_account(), document=said, now=NOW) for _ in range(2)]

    assert kept == [True, True]


RUBBISH = [
    "",
    "no JSON",
    "[]",
    "7",
    "[" * 100_000,
    "1" * 5000,
    " " * (LONGEST + 1),
    json.dumps({"Events": []}),
    json.dumps({"EventDocId": "d", "Events": []}),
    json.dumps({"EventDocId": "d", "Events": {}}),
    json.dumps({"EventDocId": "d", "Events": ["x"]}),
    json.dumps({"EventDocId": "d", "Events": [told("HITReviewable")] * 1001}),
    document(told("HITReviewable"), document_id="x" * 129),
    document(told("HITReviewable"), document_id="\x00"),
    document(told("HITReviewable"), document_id="\ud800"),
    document(told("")),
    document(told("X" * 41)),
    document(told("HITReviewable", hit="x" * 65)),
    document(told("HITReviewable", hit="HIT\x00")),
    document({**told("HITReviewable"), "HITId": None}),
    document({**told("HITReviewable"), "AssignmentId": ["A"]}),
    document({**told("HITReviewable"), "EventTimestamp": 0}),
    document({**told("HITReviewable"), "EventTimestamp": "soon"}),
    document({**told("HITReviewable"), "EventTimestamp": "0001-01-01T00:00:00+14:00"}),
]


@pytest.mark.parametrize("rubbish", RUBBISH)
def test_receive_refuses_what_is_no_document(rubbish: str) -> None:
    account = make_account()

    with pytest.raises(ValueError, match=r"."):
        event_inbox.receive(account=account, document=rubbish, now=NOW)

    assert not Notice.objects.exists()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(
    st.text()
    | JSON.map(json.dumps)
    | st.fixed_dictionaries(
        {"EventDocId": st.just("d") | JSON},
        optional={
            "Events": st.lists(
                st.fixed_dictionaries(
                    {}, optional={name: JSON | st.just("1") for name in told("x", assignment="x")}
                )
            )
        },
    ).map(json.dumps)
)
def test_whatever_comes_is_a_document_or_refused(text: str) -> None:
    for read in (read_document, unwrap):
        try:
            read(text)
        except ValueError:
            continue


def test_document_of_several_events_is_read_whole() -> None:
    text = document(
        told("AssignmentSubmitted", hit="H", assignment="A", at=NOW), told("Ping", hit=""), document_id="d"
    )

    events = read_document(text).events

    assert events == [
        ReportedEvent(kind="AssignmentSubmitted", occurred_at=NOW, hit_id="H", assignment_id="A"),
        ReportedEvent(kind="Ping", occurred_at=NOW, hit_id="", assignment_id=""),
    ]


@pytest.mark.parametrize(
    "moment", ["2026-11-21T12:00:00", "2026-11-21T13:00:00+01:00", "2026-11-21T12:00:00.000Z"]
)
def test_document_s_moments_are_read_in_any_zone(moment: str) -> None:
    [event] = read_document(document({**told("HITReviewable"), "EventTimestamp": moment})).events

    assert event.occurred_at == datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize("kind", sorted(event_inbox.WORTH_A_LOOK))
def test_event_brings_the_look_forward(kind: str) -> None:
    hit = open_hit()
    other = make_hit(batch=hit.batch, look_at=LATER)

    handled = hear(hit.batch.account, told(kind))

    hit.refresh_from_db()
    other.refresh_from_db()
    assert (handled, hit.look_at, other.look_at) == (1, NOW, LATER)
    assert Notice.objects.get().handled_at == NOW


@pytest.mark.parametrize("kind", ["AssignmentAccepted", "HITCreated", "Ping", "SomethingNew"])
def test_event_that_tells_nothing_to_look_at_is_kept_and_no_more(kind: str) -> None:
    hit = open_hit()

    hear(hit.batch.account, told(kind, assignment="A1"))

    hit.refresh_from_db()
    event = Event.objects.get()
    assert hit.look_at == LATER
    assert (event.kind, event.occurred_at, event.hit_external_id) == (kind, NOW, "HIT1")
    assert (event.assignment_external_id, event.account) == ("A1", hit.batch.account)


def test_event_for_a_hit_of_another_account_touches_nothing() -> None:
    hit = open_hit()
    make_assignment(hit=hit, external_id="A1")
    before = rows()

    hear(make_account(), told("AssignmentReturned", assignment="A1", at=LATER))

    assert rows() == before


def test_event_never_makes_anything_payable() -> None:
    assignment = make_assignment(hit=open_hit(), external_id="A1", status=Status.SAVED, answer={"x": 1})

    kinds = ("AssignmentSubmitted", "AssignmentApproved", "HITReviewable")
    hear(assignment.account, *(told(kind, assignment="A1", at=LATER) for kind in kinds))

    assignment.refresh_from_db()
    assert (assignment.status, assignment.submitted_at) == (Status.SAVED, None)


@pytest.mark.parametrize("kind", event_inbox.GIVEN_BACK)
@pytest.mark.parametrize("status", [Status.OPENED, Status.SAVED])
def test_event_of_a_return_gives_the_items_back_at_once(kind: str, status: Status) -> None:
    study = make_study()
    item = make_association(study=study).item
    hit = make_hit(batch=make_batch(study=study, status="open"), external_id="HIT1")
    assignment = make_assignment(hit=hit, external_id="A1")
    wanted = item.wanted
    leasing.lease_items(assignment=assignment, now=NOW)
    Assignment.objects.update(status=status, answer={"x": 1})

    hear(hit.batch.account, told(kind, assignment="A1", at=NOW + timedelta(minutes=1)))

    assignment.refresh_from_db()
    item.refresh_from_db()
    assert (assignment.status, item.wanted) == (Status.GONE, wanted)
    assert Lease.objects.get().status == Lease.Status.RELEASED


@pytest.mark.parametrize("after", [timedelta(0), timedelta(milliseconds=900), timedelta(minutes=5)])
def test_event_of_a_return_leaves_whoever_accepted_afterwards_alone(after: timedelta) -> None:
    returned_at = NOW + timedelta(minutes=1)
    hit = open_hit()
    make_assignment(hit=hit, external_id="A1", accepted_at=returned_at + after)
    before = rows()[0]

    hear(hit.batch.account, told("AssignmentReturned", assignment="A1", at=returned_at))

    assert rows()[0] == before


@pytest.mark.parametrize(
    "changes",
    [
        {"status": Status.SUBMITTED},
        {"status": Status.APPROVED},
        {"external_id": "A2"},
        {"accepted_at": None},  # its acceptance is not known
    ],
)
def test_event_of_a_return_changes_nothing_else(changes: dict[str, Any]) -> None:
    hit = open_hit()
    make_assignment(**{"hit": hit, "external_id": "A1", **changes})
    before = rows()[0]

    hear(hit.batch.account, told("AssignmentReturned", assignment="A1", at=LATER))

    assert rows()[0] == before


def test_batch_is_marked_after_all_the_returns_that_one_notice_tells_of() -> None:
    """The batch comes last because holders of work or items wait for it: another order could deadlock."""
    study = make_study()
    make_association(study=study)
    hit = make_hit(batch=make_batch(study=study, status="open"), external_id="HIT1")
    for external_id in ("A1", "A2"):
        opened = make_assignment(hit=hit, external_id=external_id)
        leasing.lease_items(assignment=opened, now=NOW)
    returns = [told("AssignmentReturned", assignment=name, at=LATER) for name in ("A1", "A2")]

    with CaptureQueriesContext(connection) as captured:
        hear(hit.batch.account, *returns)

    written = [query["sql"].split('"')[1] for query in captured if query["sql"].startswith("UPDATE")]
    locked = [table for table in written if table in ("hits_assignment", "hits_item", "hits_batch")]
    assert [table for table, _ in groupby(locked)] == ["hits_assignment", "hits_item", "hits_batch"]


def test_event_of_a_return_of_another_hit_changes_nothing() -> None:
    hit = open_hit()
    make_assignment(hit=hit, external_id="A1")
    before = rows()

    hear(hit.batch.account, told("AssignmentReturned", hit="HIT2", assignment="A1", at=LATER))

    assert rows() == before


MINUTE = timedelta(minutes=1)
# One place is taken, returned, taken again under the same id, and submitted; another one runs out.
STORY = [
    told("AssignmentAccepted", assignment="A1", at=NOW),
    told("AssignmentReturned", assignment="A1", at=NOW + 2 * MINUTE),
    told("AssignmentAccepted", assignment="A1", at=NOW + 3 * MINUTE),
    told("AssignmentSubmitted", assignment="A1", at=NOW + 4 * MINUTE),
    told("AssignmentAccepted", assignment="A2", at=NOW),
    told("AssignmentAbandoned", assignment="A2", at=NOW + 9 * MINUTE),
    told("HITReviewable", at=NOW + 10 * MINUTE),
    told("SomethingNew", hit="HIT9"),
]


def live_story(order: list[int], slices: list[int]) -> Any:
    """Receive the documents in this order, handling them after these steps. Returns the rows that result."""
    for model in (Event, Notice, Assignment, HIT, Batch):
        model.objects.all().delete()
    hit = open_hit()
    account = hit.batch.account
    for external_id, attempt, after in (("A1", 1, 0), ("A1", 2, 3), ("A2", 1, 0)):
        make_assignment(
            hit=hit,
            external_id=external_id,
            attempt=attempt,
            worker=make_worker(account=account, external_id=f"AWORKER{attempt}{external_id}"),
            accepted_at=NOW + after * MINUTE,
        )
    for step, number in enumerate(order):
        said = document(STORY[number], document_id=f"doc-{number}")
        event_inbox.receive(account=account, document=said, now=NOW)
        if step in slices:
            event_inbox.handle_notices(now=NOW)
    event_inbox.handle_notices(now=NOW)
    return (
        sorted(Assignment.objects.values_list("external_id", "attempt", "status", "submitted_at")),
        HIT.objects.values_list("status", "look_at").get(),
        sorted(Event.objects.values_list("kind", "occurred_at", "hit_external_id", "assignment_external_id")),
        list(Notice.objects.order_by("document_id").values_list("document_id", "handled_at", "problem")),
        event_inbox.find_acceptance(hit=hit, assignment_id="A1"),
        event_inbox.find_acceptance(hit=hit, assignment_id="A2"),
    )


@pytest.fixture
def in_order() -> Any:
    """The rows that result from the story as it happened."""
    return live_story(list(range(len(STORY))), [])


@settings(max_examples=60)
@given(
    order=st.permutations(range(len(STORY))),
    repeats=st.lists(st.tuples(st.integers(0, 20), st.integers(0, len(STORY) - 1)), max_size=8),
    slices=st.lists(st.integers(0, 20), max_size=5),
)
def test_events_in_any_order_and_number_end_in_the_same_rows(
    in_order: Any, order: list[int], repeats: list[tuple[int, int]], slices: list[int]
) -> None:
    mixed = list(order)
    for position, number in repeats:
        mixed.insert(position, number)

    assert live_story(mixed, slices) == in_order


def test_story_told_in_order_ends_as_it_should(in_order: Any) -> None:
    assignments, hit, events, notices, *acceptances = in_order

    assert assignments == [
        ("A1", 1, Status.GONE, None),
        ("A1", 2, Status.OPENED, None),  # only the provider's own list makes it submitted
        ("A2", 1, Status.GONE, None),
    ]
    assert hit == (HIT.Status.OPEN, NOW)
    assert (len(events), len(notices)) == (len(STORY), len(STORY))
    assert acceptances == [None, None]


def test_handle_notices_skips_over_what_cannot_be_handled() -> None:
    hit = open_hit()
    account = hit.batch.account
    for _ in range(3):
        event_inbox.receive(account=account, document=document(told("HITReviewable")), now=NOW)
    unreadable, damaged, fine = Notice.objects.order_by("pk")
    Notice.objects.filter(pk=unreadable.pk).update(body="no document")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE hits_notice SET body = 'not sealed by us' WHERE id = %s", [damaged.pk])

    handled = event_inbox.handle_notices(now=NOW)
    again = event_inbox.handle_notices(now=LATER)

    found = Notice.objects.order_by("pk").defer("body").values_list("handled_at", "problem")
    assert (handled, again) == (1, 0)
    assert list(found) == [
        (NOW, "It is not JSON."),
        (NOW, "Its text cannot be decrypted: its key is gone."),
        (NOW, ""),
    ]
    assert Event.objects.get().notice == fine


def test_handle_notices_on_two_machines_at_once_applies_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    account = make_account()
    event_inbox.receive(account=account, document=document(told("Ping")), now=NOW)
    elsewhere = []

    def read_while_another_handles(text: str) -> Any:
        monkeypatch.setattr(event_inbox, "read_document", read_document)
        elsewhere.append(event_inbox.handle_notices(now=NOW))
        return read_document(text)

    monkeypatch.setattr(event_inbox, "read_document", read_while_another_handles)
    here = event_inbox.handle_notices(now=NOW)

    assert (elsewhere, here, Event.objects.count()) == ([1], 0, 1)


def test_handle_notices_takes_a_bounded_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_inbox, "AT_A_TIME", 2)
    account = make_account()
    for _ in range(3):
        event_inbox.receive(account=account, document=document(told("Ping")), now=NOW)

    assert [event_inbox.handle_notices(now=NOW) for _ in range(3)] == [2, 1, 0]


def test_handle_notices_asks_as_much_for_many_events_as_for_one() -> None:
    hit = open_hit()
    counts = []
    for number in (1, 100):
        event_inbox.receive(
            account=hit.batch.account, document=document(*[told("HITReviewable")] * number), now=NOW
        )
        HIT.objects.update(look_at=LATER)
        with CaptureQueriesContext(connection) as queries:
            event_inbox.handle_notices(now=NOW)
        counts.append(len(queries))

    assert counts[0] == counts[1]


def wrapped(text: str) -> str:
    return json.dumps({"Type": "Notification", "MessageId": "m", "TopicArn": "arn", "Message": text})


def test_poll_queues_keeps_plain_and_wrapped_documents_and_empties_the_queue() -> None:
    with serving_queue() as queue:
        account = make_account(notify_by="sqs", notify_address=queue.url)
        for number in range(11):
            queue.put(document(told("Ping"), document_id=f"doc-{number}"))
        queue.put(wrapped(document(told("Ping"), document_id="doc-11")))
        queue.put(document(told("Ping"), document_id="doc-1"))
        queue.put("rubbish")

        kept = event_inbox.poll_queues(now=NOW)

    found = Notice.objects.filter(account=account).values_list("document_id", flat=True)
    assert (kept, sorted(found)) == (12, sorted(f"doc-{number}" for number in range(12)))
    assert queue.bodies == {}


def test_poll_queues_deletes_nothing_that_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(**_: Any) -> bool:
        raise KeyboardInterrupt

    with serving_queue() as queue:
        make_account(notify_by="sqs", notify_address=queue.url)
        queue.put(document(told("Ping")))
        monkeypatch.setattr(event_inbox, "receive", killed)

        with pytest.raises(KeyboardInterrupt):
            event_inbox.poll_queues(now=NOW)

    assert (queue.calls, len(queue.bodies)) == (["ReceiveMessage"], 1)


def test_poll_queues_of_an_account_that_fails_stops_no_other() -> None:
    with serving_queue() as queue:
        make_account(notify_by="sqs", notify_address="http://127.0.0.1:9/q")
        make_account(notify_by="sqs", notify_address="nonsense")
        make_account(notify_by="none", notify_address=queue.url)
        make_account(notify_by="sqs", notify_address="")
        fine = make_account(notify_by="sqs", notify_address=queue.url)
        queue.put(document(told("Ping")))

        event_inbox.poll_queues(now=NOW)

    assert [notice.account for notice in Notice.objects.all()] == [fine]


@pytest.mark.parametrize(
    ("notify_by", "address", "transport", "destination"),
    [
        ("webhook", "", "SNS", "webhook+https://crowd.example/api/events/{}/webhook/"),
        ("sns", "", "SNS", "https://crowd.example/api/events/{}/sns/"),
        ("sns", "arn:aws:sns:us-east-1:1:t", "SNS", "arn:aws:sns:us-east-1:1:t"),
        ("sqs", "https://queue.example/1/q", "SQS", "https://queue.example/1/q"),
    ],
)
def test_subscribe_batches_tells_the_provider_where_events_go(
    *,
    turk: StubbedTurk,
    settings: LazySettings,
    notify_by: str,
    address: str,
    transport: str,
    destination: str,
) -> None:
    settings.PUBLIC_URL = "https://crowd.example"
    account = make_account(notify_by=notify_by, notify_address=address)
    batch = make_batch(account=account, status="launching", hit_type_id="TYPE1")

    subscribed = [event_inbox.subscribe_batches(now=now) for now in (NOW, LATER)]

    batch.refresh_from_db()
    assert (subscribed, batch.notified_at, len(turk.calls)) == ([1, 0], NOW, 1)
    said = turk.notifications["TYPE1"]
    assert said["Transport"] == transport
    assert said["Destination"] == destination.format(account.public_id)


@pytest.mark.parametrize(
    ("notify_by", "changes"),
    [
        ("none", {}),
        ("sqs", {}),  # without an address
        ("webhook", {"hit_type_id": ""}),
        ("webhook", {"status": "complete"}),
        ("webhook", {"notified_at": NOW}),
    ],
)
def test_subscribe_batches_leaves_the_others_alone(
    turk: StubbedTurk, notify_by: str, changes: dict[str, Any]
) -> None:
    account = make_account(notify_by=notify_by)
    make_batch(**{"account": account, "status": "open", "hit_type_id": "TYPE1", **changes})

    assert event_inbox.subscribe_batches(now=NOW) == 0
    assert turk.calls == []


def test_subscribe_batches_that_fails_only_waits_and_stops_no_other(
    turk: StubbedTurk, monkeypatch: pytest.MonkeyPatch
) -> None:
    turk.faults["update_notification_settings"] = ["before"]
    unclear, fine = (
        make_batch(account=make_account(notify_by="webhook"), status="open", hit_type_id=f"TYPE{number}")
        for number in range(2)
    )

    first = event_inbox.subscribe_batches(now=NOW)
    at_once = event_inbox.subscribe_batches(now=NOW)
    cache.clear()  # a minute later
    second = event_inbox.subscribe_batches(now=LATER)

    unclear.refresh_from_db()
    fine.refresh_from_db()
    assert (first, at_once, second) == (1, 0, 1)
    assert (fine.notified_at, unclear.notified_at) == (NOW, LATER)


def test_subscribe_batches_without_a_usable_provider_only_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: Any) -> Any:
        raise ProviderRefused("not allowed", code="AmazonNotAllowed")

    monkeypatch.setattr(registry, "_boto_provider", refuse)
    make_batch(account=make_account(notify_by="webhook"), status="open", hit_type_id="TYPE1")

    assert event_inbox.subscribe_batches(now=NOW) == 0


def test_subscribe_anew_tells_the_provider_again(turk: StubbedTurk) -> None:
    account = make_account(notify_by="webhook")
    make_batch(account=account, status="open", hit_type_id="TYPE1", notified_at=NOW)
    make_batch(account=account, status="complete", hit_type_id="TYPE2", notified_at=NOW)

    changed = event_inbox.subscribe_anew(account=account)
    event_inbox.subscribe_batches(now=LATER)

    assert (changed, list(turk.notifications)) == (1, ["TYPE1"])


def test_purge_notices_empties_texts_and_later_removes_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_inbox, "AT_A_TIME", 2)
    account = make_account()
    ages = {"old": 61, "older": 62, "oldest": 63, "week": 8, "week2": 8, "week3": 9, "young": 6}
    for name, days in sorted(ages.items(), key=lambda age: -age[1]):
        hear(account, told("Ping", hit=name), now=NOW - timedelta(days=days))
    event_inbox.receive(account=account, document=document(told("Ping")), now=NOW - timedelta(days=30))

    emptied = event_inbox.purge_notices(now=NOW)
    again = event_inbox.purge_notices(now=NOW)

    assert (emptied, again) == (6, 0)
    assert sorted(Event.objects.values_list("hit_external_id", flat=True)) == [
        "week",
        "week2",
        "week3",
        "young",
    ]
    kept = [bool(notice.body) for notice in Notice.objects.order_by("received_at")]
    assert kept == [True, False, False, False, True]  # an unhandled notice keeps its text


@pytest.mark.parametrize(
    ("kinds", "is_found"),
    [
        ([], False),
        (["AssignmentAccepted"], True),
        (["AssignmentAccepted", "AssignmentReturned"], False),
        (["AssignmentAccepted", "AssignmentAbandoned"], False),
        (["AssignmentAccepted", "AssignmentSubmitted"], False),
        (["AssignmentAccepted", "AssignmentReturned", "AssignmentAccepted"], True),
    ],
)
def test_find_acceptance_is_the_latest_that_still_holds(kinds: list[str], is_found: bool) -> None:
    hit = open_hit()
    moments = [NOW + number * MINUTE for number in range(len(kinds))]
    for kind, moment in reversed(list(zip(kinds, moments, strict=True))):
        hear(hit.batch.account, told(kind, assignment="A1", at=moment))

    found = event_inbox.find_acceptance(hit=hit, assignment_id="A1")
    others = event_inbox.find_acceptance(hit=hit, assignment_id=uuid4().hex)

    assert found == (moments[-1] if is_found else None)
    assert others is None
