"""The sweep over the outbox, against real receivers: at least once, in order, none delaying another."""

import hashlib
import hmac
import time
from datetime import timedelta

import pytest
from django.conf import LazySettings

from crowd.marketplace.delivery import sweep
from crowd.marketplace.delivery.sweep import deliver_events
from crowd.marketplace.models import Destination, Event, Fault
from crowd.marketplace.services import work
from hits.common.outgoing import outgoing_posts
from tests.crowd.marketplace.receivers import receiving, tell
from tests.crowd.marketplace.rows import accept, hand_in, post_hit
from tests.factories import NOW

pytestmark = pytest.mark.django_db

NOBODY = "webhook+http://127.0.0.1:9/"  # no server is there
TWO = ["AssignmentAccepted", "AssignmentSubmitted"]


def later(**distance: float) -> None:
    deliver_events(now=NOW + timedelta(**distance))


def delivered() -> list[bool]:
    return [event.delivered_at is not None for event in Event.objects.order_by("pk")]


def test_delivery_brings_a_signed_document_and_marks_the_event() -> None:
    hit = post_hit()
    with receiving() as receiver:
        tell(hit, receiver.webhook)
        accept(hit)

        deliver_events(now=NOW)
        deliver_events(now=NOW)

    [post] = receiver.posts
    event = Event.objects.get()
    assert (post.path, post.headers["Content-Type"]) == ("/events", "application/json")
    assert post.document["EventDocId"] == event.document_id
    assert (event.delivered_at, event.attempts, event.last_error) == (NOW, 1, "")
    moment, given = post.headers["X-Marketplace-Signature"].removeprefix("t=").split(",v1=")
    signed = moment.encode() + b"." + post.body
    assert given == hmac.new(hit.requester.ticket_key.encode(), signed, hashlib.sha256).hexdigest()
    assert abs(time.time() - int(moment)) < 60


def test_delivery_keeps_the_order_of_what_happened() -> None:
    hit = post_hit(max_assignments=5)
    with receiving() as receiver:
        tell(hit, receiver.webhook)
        for _ in range(5):
            hand_in(hit)

        deliver_events(now=NOW)

    assert receiver.event_types == TWO * 5
    assert receiver.document_ids == list(Event.objects.order_by("pk").values_list("document_id", flat=True))


def test_delivery_to_a_receiver_that_fails_twice_is_tried_until_it_is_taken() -> None:
    hit = post_hit()
    with receiving(500, 503) as receiver:
        tell(hit, receiver.webhook)
        accept(hit)

        deliver_events(now=NOW)
        later(seconds=1)  # too soon
        first = Event.objects.get()
        later(minutes=1)
        later(minutes=3)

    event = Event.objects.get()
    assert (first.attempts, first.last_error, first.delivered_at) == (1, "It answered 500.", None)
    assert timedelta(seconds=5) <= first.due_at - NOW <= timedelta(seconds=15)
    assert receiver.document_ids == [event.document_id] * 3
    assert (event.attempts, event.delivered_at, event.last_error) == (3, NOW + timedelta(minutes=3), "")
    assert Destination.objects.get().failures == 0


def test_delivery_is_given_up_after_days_and_the_reason_is_kept() -> None:
    hit = post_hit(max_assignments=2, lifetime=timedelta(days=9))
    tell(hit, NOBODY)
    accept(hit)
    deliver_events(now=NOW)
    accept(hit, now=NOW + timedelta(days=2))

    later(days=3)

    old, new = Event.objects.order_by("pk")
    assert (old.given_up_at, new.given_up_at) == (NOW + timedelta(days=3), None)
    assert old.last_error == "127.0.0.1:9 could not be reached: [Errno 111] Connection refused"
    later(days=4)
    old.refresh_from_db()
    assert old.attempts == 2


def test_delivery_delays_grow_up_to_an_hour() -> None:
    hit = post_hit()
    tell(hit, NOBODY)
    accept(hit)
    Event.objects.update(attempts=30)

    deliver_events(now=NOW)

    event = Event.objects.get()
    assert timedelta(minutes=30) <= event.due_at - NOW <= timedelta(minutes=90)


def test_delivery_to_the_dead_does_not_hold_up_the_living() -> None:
    dead, living = post_hit(title="Dead", max_assignments=9), post_hit(title="Living")
    tell(dead, NOBODY)
    for _ in range(9):
        hand_in(dead)
    with receiving() as receiver:
        tell(living, receiver.webhook)
        hand_in(living)

        deliver_events(now=NOW)

    assert receiver.event_types == TWO
    # One attempt is enough to know about that destination.
    assert sum(Event.objects.filter(hit_id=dead.external_id).values_list("attempts", flat=True)) == 1


def test_delivery_of_what_fails_does_not_hold_up_what_follows() -> None:
    hit = post_hit()
    with receiving(500) as receiver:
        tell(hit, receiver.webhook)
        hand_in(hit)

        deliver_events(now=NOW)
        later(seconds=4)

    assert receiver.event_types == TWO
    assert delivered() == [False, True]


def test_delivery_leaves_a_destination_that_another_sweep_holds() -> None:
    hit = post_hit()
    with receiving() as receiver:
        destination = tell(hit, receiver.webhook)
        accept(hit)
        Destination.objects.update(free_at=NOW + sweep.LEASE)

        deliver_events(now=NOW)
        held = list(receiver.posts)
        deliver_events(now=NOW + sweep.LEASE)

    destination.refresh_from_db()
    assert (held, len(receiver.posts)) == ([], 1)
    assert destination.free_at == NOW + sweep.LEASE


def test_delivery_follows_no_redirect() -> None:
    hit = post_hit()
    with receiving() as other, receiving(answer=lambda _: (302, {"Location": other.url}, b"")) as receiver:
        tell(hit, receiver.webhook)
        accept(hit)

        deliver_events(now=NOW)

    assert (len(receiver.posts), other.posts, delivered()) == (1, [], [False])
    assert Event.objects.get().last_error == "It answered 302; redirects are not followed."


def test_delivery_cuts_off_who_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing_posts, "TIMEOUT_S", 0.3)
    hit = post_hit()

    def dawdle(_: object) -> tuple[int, dict[str, str], bytes]:
        time.sleep(2.0)
        return 200, {}, b""

    with receiving(answer=dawdle) as receiver:
        tell(hit, receiver.webhook)
        accept(hit)
        began = time.monotonic()

        deliver_events(now=NOW)

        assert time.monotonic() - began < 1.9
    assert delivered() == [False]
    assert "could not be reached" in Event.objects.get().last_error


def test_delivery_is_sent_again_if_the_sweep_dies_after_sending(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in place of the mark simulates the crash; test_delivery_processes kills a real process."""
    hit = post_hit()

    class Died(Exception):
        pass

    def die(*_: object, **__: object) -> None:
        raise Died

    with receiving() as receiver:
        tell(hit, receiver.webhook)
        accept(hit)
        with monkeypatch.context() as patch:
            patch.setattr(sweep, "_mark_delivered", die)
            with pytest.raises(Died):
                deliver_events(now=NOW)

        deliver_events(now=NOW)
        deliver_events(now=NOW + sweep.LEASE)

    assert receiver.document_ids == [Event.objects.get().document_id] * 2
    assert delivered() == [True]


def test_delivery_that_cannot_be_signed_waits_for_its_key(settings: LazySettings) -> None:
    hit = post_hit()
    with receiving() as receiver:
        tell(hit, receiver.webhook)
        accept(hit)
        keys, settings.MARKETPLACE_KEYS = settings.MARKETPLACE_KEYS, settings.FIELD_KEYS

        deliver_events(now=NOW)
        settings.MARKETPLACE_KEYS = keys
        problem = Event.objects.get().last_error
        later(minutes=1)

    assert problem == "The marketplace cannot read the key that signs notifications."
    assert (len(receiver.posts), delivered()) == (1, [True])


@pytest.fixture
def faulty(settings: LazySettings) -> None:
    settings.MARKETPLACE_CONTROL_KEY = "control"


@pytest.mark.usefixtures("faulty")
def test_delivery_twice_on_request_is_one_document_twice() -> None:
    hit = post_hit()
    Fault.objects.create(kind=Fault.Kind.DUPLICATE)
    with receiving() as receiver:
        tell(hit, receiver.webhook)
        hand_in(hit)

        deliver_events(now=NOW)

    assert receiver.event_types == [TWO[0], TWO[0], TWO[1]]
    assert len(set(receiver.document_ids)) == 2
    assert set(Event.objects.values_list("attempts", flat=True)) == {1}


@pytest.mark.usefixtures("faulty")
def test_delivery_out_of_order_on_request() -> None:
    hit = post_hit()
    Fault.objects.create(kind=Fault.Kind.REORDER)
    with receiving() as receiver:
        tell(hit, receiver.webhook)
        hand_in(hit)

        deliver_events(now=NOW)

    assert receiver.event_types == TWO[::-1]


@pytest.mark.usefixtures("faulty")
def test_delivery_late_on_request_comes_once_its_time_is_over() -> None:
    hit = post_hit()
    Fault.objects.create(kind=Fault.Kind.LATE, seconds=90, remaining=5, operation="AssignmentAccepted")
    with receiving() as receiver:
        tell(hit, receiver.webhook)
        hand_in(hit)

        deliver_events(now=NOW)
        later(seconds=89)
        early = receiver.event_types
        later(seconds=90)

    assert (early, receiver.event_types) == (TWO[1:], TWO[::-1])
    assert Fault.objects.get().remaining == 4


def test_delivery_knows_no_fault_without_a_control_key(settings: LazySettings) -> None:
    settings.MARKETPLACE_CONTROL_KEY = ""
    hit = post_hit()
    for kind in (Fault.Kind.DUPLICATE, Fault.Kind.REORDER, Fault.Kind.LATE):
        Fault.objects.create(kind=kind, seconds=60)
    with receiving() as receiver:
        tell(hit, receiver.webhook)
        hand_in(hit)

        deliver_events(now=NOW)

    assert receiver.event_types == TWO
    assert set(Fault.objects.values_list("remaining", flat=True)) == {1}


def test_delivery_tells_what_the_clock_decided() -> None:
    hit = post_hit(duration_s=60)
    with receiving() as receiver:
        tell(hit, receiver.webhook, event_types=["AssignmentAbandoned"])
        accept(hit)
        work.settle(now=NOW + timedelta(minutes=1))

        later(minutes=1)

    assert receiver.event_types == ["AssignmentAbandoned"]
