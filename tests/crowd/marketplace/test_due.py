"""When the marketplace's sweeps become due by the clock alone, and that they rest otherwise."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.conf import LazySettings
from django.db import connections
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from crowd.marketplace import clock
from crowd.marketplace.database import ALIAS
from crowd.marketplace.delivery import sweep
from crowd.marketplace.models import (
    HIT,
    Assignment,
    ClockShift,
    Complaint,
    Destination,
    Email,
    Event,
    QualificationRequest,
    RequestToken,
    Subscription,
)
from crowd.marketplace.models.parties import Invitation, OperatorSession, WorkerSession
from crowd.marketplace.services import hit_creation, operators, retention, topics, work, worker_sign_in
from tests.crowd.marketplace.control_calls import CONTROL_KEY
from tests.crowd.marketplace.qualifying import make_type
from tests.crowd.marketplace.receivers import tell
from tests.crowd.marketplace.rows import accept, hand_in, post_hit, status_of
from tests.factories import NOW, invite, make_requester

pytestmark = pytest.mark.django_db

TICK = timedelta.resolution
SECOND, MINUTE, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(days=1)
NOBODY = "https://example.org/events"


def settling() -> datetime | None:
    return work.next_settlement(now=NOW)


def delivering() -> datetime | None:
    return sweep.next_delivery(now=NOW)


def tidying_at() -> datetime | None:
    return retention.next_tidying(now=NOW)


def written_by(run: Callable[[], object]) -> list[str]:
    """Every statement of a run that may write."""
    with CaptureQueriesContext(connections[ALIAS]) as asked:
        run()
    found = [query["sql"] for query in asked.captured_queries]
    return [sql for sql in found if sql.startswith(("INSERT", "UPDATE", "DELETE"))]


def test_nothing_is_due_where_nothing_waits() -> None:
    assert (settling(), delivering(), tidying_at()) == (None, None, None)


def test_settling_is_due_when_a_hit_expires_and_when_it_is_old() -> None:
    hit = post_hit(lifetime=DAY)
    assert settling() == NOW + DAY

    work.settle_all(now=NOW + DAY - TICK)
    assert HIT.objects.get(pk=hit.pk).closed_at is None
    work.settle_all(now=NOW + DAY)
    assert HIT.objects.get(pk=hit.pk).closed_at == NOW + DAY

    old = NOW + DAY + hit_creation.DISPOSED_AFTER
    assert settling() == old
    work.settle_all(now=old - TICK)
    assert HIT.objects.get(pk=hit.pk).disposed_at is None
    work.settle_all(now=old)
    assert HIT.objects.get(pk=hit.pk).disposed_at == old
    assert settling() is None


def test_settling_is_due_at_a_deadline() -> None:
    assignment = accept(post_hit(duration_s=60))
    assert settling() == NOW + MINUTE

    work.settle_all(now=NOW + MINUTE - TICK)
    assert status_of(assignment) == "Accepted"
    work.settle_all(now=NOW + MINUTE)
    assert status_of(assignment) == "Abandoned"
    assert settling() == NOW + DAY


def test_settling_is_due_when_work_approves_itself_and_not_while_it_waits_for_a_review() -> None:
    assignment = hand_in(post_hit(delay_s=60))
    # The HIT is over, but is not disposed of while it has work to review.
    Assignment.objects.update(auto_approval_at=NOW + 400 * DAY)
    assert settling() == NOW + 400 * DAY
    Assignment.objects.update(auto_approval_at=NOW + MINUTE)
    assert settling() == NOW + MINUTE

    work.settle_all(now=NOW + MINUTE - TICK)
    assert status_of(assignment) == "Submitted"
    work.settle_all(now=NOW + MINUTE)
    assert status_of(assignment) == "Approved"
    assert settling() == NOW + hit_creation.DISPOSED_AFTER


def test_settling_is_due_when_the_time_of_a_test_is_over() -> None:
    request = QualificationRequest.objects.create(
        type=make_type(),
        worker=invite()[0],
        status=QualificationRequest.Status.STARTED,
        started_at=NOW,
        deadline_at=NOW + MINUTE,
    )
    assert settling() == NOW + MINUTE

    work.settle_all(now=NOW + MINUTE - TICK)
    request.refresh_from_db()
    assert request.status == "Started"
    work.settle_all(now=NOW + MINUTE)
    request.refresh_from_db()
    assert request.status == "Lapsed"
    assert settling() is None


def test_settling_what_is_done_or_held_is_never_due() -> None:
    """Work in progress keeps a HIT that is over; the deadline of that work is what is due."""
    hit = post_hit(duration_s=60, lifetime=SECOND, max_assignments=2)
    assignment = accept(hit)
    work.settle_all(now=NOW + SECOND)

    HIT.objects.update(closed_at=NOW - 2 * hit_creation.DISPOSED_AFTER)

    assert settling() == assignment.deadline_at


def test_delivery_is_due_when_both_the_event_and_its_destination_are() -> None:
    hit = post_hit()
    destination = tell(hit, NOBODY)
    assert delivering() is None

    accept(hit)
    event = Event.objects.get()
    assert delivering() == max(event.due_at, destination.free_at)
    Event.objects.update(due_at=NOW + MINUTE)
    Destination.objects.update(free_at=NOW + SECOND)
    assert delivering() == NOW + MINUTE
    Destination.objects.update(free_at=NOW + DAY)
    assert delivering() == NOW + DAY


def test_delivery_takes_its_turn_at_the_instant_that_it_named() -> None:
    hit = post_hit()
    tell(hit, NOBODY)
    accept(hit)
    Event.objects.update(due_at=NOW + MINUTE)
    due = delivering()
    assert due == NOW + MINUTE

    assert list(sweep._take_turns(now=due - TICK)) == []
    assert len(list(sweep._take_turns(now=due))) == 1
    # That sweep holds the lease, which ends by itself if the sweep dies.
    assert delivering() == due + sweep.LEASE


def test_delivery_of_what_arrived_or_was_given_up_is_not_due() -> None:
    hit = post_hit(max_assignments=2)
    tell(hit, NOBODY)
    accept(hit)
    accept(hit)
    arrived, given_up = Event.objects.order_by("pk")
    Event.objects.filter(pk=arrived.pk).update(delivered_at=NOW)
    Event.objects.filter(pk=given_up.pk).update(given_up_at=NOW)

    assert delivering() is None


def test_delivery_waits_for_the_first_of_several_destinations() -> None:
    for wait in (MINUTE, SECOND, DAY):
        hit = post_hit()
        destination = tell(hit, NOBODY)
        accept(hit)
        Event.objects.filter(destination=destination).update(due_at=NOW + wait)

    assert delivering() == NOW + SECOND


def make_token() -> timedelta:
    requester = make_requester().requester
    RequestToken.objects.create(
        requester=requester, operation="CreateHIT", token="once", made="HIT", created_at=NOW
    )
    return retention.TOKEN_MEMORY


def make_invitation() -> timedelta:
    invite(now=NOW)
    return worker_sign_in.INVITATION_LIFE


def make_session() -> timedelta:
    worker, _ = invite(now=NOW)
    Invitation.objects.all().delete()
    worker_sign_in.sign_in(worker=worker, now=NOW)
    return worker_sign_in.SESSION_LIFE


def make_operator_session() -> timedelta:
    operator = operators.make_operator(sign_in_name="op", password="correct horse", now=NOW)
    operators.open_session(operator, now=NOW)
    return operators.SESSION_LIFE


def make_arrived_event() -> timedelta:
    accept_told()
    Event.objects.update(delivered_at=NOW)
    return retention.DELIVERED_KEPT


def make_given_up_event() -> timedelta:
    accept_told()
    Event.objects.update(given_up_at=NOW)
    return retention.GIVEN_UP_KEPT


def make_sent_email() -> timedelta:
    make_email(sent_at=NOW)
    return retention.DELIVERED_KEPT


def make_lost_email() -> timedelta:
    make_email(given_up_at=NOW)
    return retention.GIVEN_UP_KEPT


def make_email(**when: datetime) -> None:
    worker, _ = invite(now=NOW)
    Invitation.objects.all().delete()
    Email.objects.create(worker=worker, kind=Email.Kind.CONFIRM, asked_at=NOW, due_at=NOW, **when)


def make_answered_complaint() -> timedelta:
    operator = operators.make_operator(sign_in_name="op", password="correct horse", now=NOW)
    Complaint.objects.create(
        worker=accept(post_hit(lifetime=1000 * DAY)).worker,
        hit=HIT.objects.get(),
        text="No.",
        sent_at=NOW,
        answer="Yes.",
        answered_at=NOW,
        answered_by=operator,
    )
    Invitation.objects.all().delete()
    return retention.COMPLAINT_KEPT


def make_subscription() -> timedelta:
    topic = topics.create_topic(requester=make_requester().requester, name="work", now=NOW)
    topics.subscribe(topic=topic, protocol="https", endpoint=NOBODY, now=NOW)
    return topics.CONFIRMATION_LIFE


def make_replaced_destination() -> timedelta:
    hit = post_hit()
    tell(hit, NOBODY)
    tell(hit, "https://example.org/others")
    return retention.DELIVERED_KEPT


def accept_told() -> None:
    hit = post_hit()
    tell(hit, NOBODY)
    accept(hit)
    Invitation.objects.all().delete()


@pytest.mark.parametrize(
    ("model", "make"),
    [
        (RequestToken, make_token),
        (Invitation, make_invitation),
        (WorkerSession, make_session),
        (OperatorSession, make_operator_session),
        (Event, make_arrived_event),
        (Event, make_given_up_event),
        (Email, make_sent_email),
        (Email, make_lost_email),
        (Complaint, make_answered_complaint),
        (Subscription, make_subscription),
        (Destination, make_replaced_destination),
    ],
)
def test_tidying_is_due_once_rows_have_served_their_time(
    model: type[Model], make: Callable[[], timedelta]
) -> None:
    end = NOW + make()
    before = model._default_manager.count()

    # Rows are kept until then, and at that very instant.
    assert tidying_at() == end + TICK
    assert retention.tidy(now=end) == 0
    retention.tidy(now=end + TICK)

    assert model._default_manager.count() == before - 1
    assert (tidying_at() or NOW + 400 * DAY) > end + TICK


def test_tidying_never_waits_for_what_still_waits() -> None:
    hit = post_hit()
    tell(hit, NOBODY)
    accept(hit)
    Invitation.objects.all().delete()

    assert (Event.objects.count(), tidying_at()) == (1, None)


def test_an_instant_of_the_turned_clock_is_told_in_the_machines_time(settings: LazySettings) -> None:
    post_hit(lifetime=DAY)
    due = clock.by_the_machine(work.next_settlement)
    assert due(now=NOW) == NOW + DAY

    settings.MARKETPLACE_CONTROL_KEY = CONTROL_KEY
    ClockShift.objects.create(ahead=20 * 60 * MINUTE)
    assert due(now=NOW) == NOW + 4 * 60 * MINUTE
    settings.MARKETPLACE_CONTROL_KEY = ""
    assert due(now=NOW) == NOW + DAY


def test_by_the_machine_asks_in_the_clocks_time_and_says_nothing_where_nothing_waits(
    settings: LazySettings,
) -> None:
    settings.MARKETPLACE_CONTROL_KEY = CONTROL_KEY
    ClockShift.objects.create(ahead=DAY)
    asked = []

    def nothing(*, now: datetime) -> datetime | None:
        asked.append(now)
        return None

    assert (clock.by_the_machine(nothing)(now=NOW), asked) == (None, [NOW + DAY])


def test_sweeps_that_find_nothing_write_nothing() -> None:
    hit = post_hit(max_assignments=3)
    tell(hit, NOBODY)
    accept(hit)
    hand_in(hit)
    Event.objects.update(delivered_at=NOW)

    for run in (
        lambda: work.settle_all(now=NOW),
        lambda: sweep.deliver_events(now=NOW),
        hit_creation.unlist_bare_types,
        lambda: retention.tidy(now=NOW),
    ):
        assert written_by(run) == []


def test_sweeps_that_find_nothing_ask_little() -> None:
    hit = post_hit()
    tell(hit, NOBODY)

    for run, most in (
        (lambda: work.settle_all(now=NOW), 1),
        (lambda: sweep.deliver_events(now=NOW), 1),
        (hit_creation.unlist_bare_types, 1),
        (lambda: retention.tidy(now=NOW), 11),
    ):
        with CaptureQueriesContext(connections[ALIAS]) as asked:
            run()
        assert len(asked) == most
