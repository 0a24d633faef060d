"""The marketplace's periodic tasks, and what they remove."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from crowd.marketplace import tasks
from crowd.marketplace.models import Destination, Event, RequestToken
from crowd.marketplace.models.parties import Invitation, OperatorSession, WorkerSession
from crowd.marketplace.services import retention, worker_sign_in
from hits.common.sweeps import SWEEPS
from tests.crowd.marketplace.receivers import receiving, tell
from tests.crowd.marketplace.rows import accept, post_hit, status_of
from tests.factories import NOW, invite, make_requester

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def make_event(*, destination: Destination, delivered_at: datetime | None = None) -> Event:
    return Event.objects.create(
        destination=destination,
        event_type="Ping",
        occurred_at=NOW,
        due_at=NOW,
        delivered_at=delivered_at,
    )


def test_tasks_are_known_and_scheduled() -> None:
    named = ("settle", "deliver_events", "send_emails", "unlist_types", "tidy")
    assert {name for name in SWEEPS if name.startswith("marketplace.")} == {f"marketplace.{x}" for x in named}


def test_tasks_do_what_the_clock_makes_due() -> None:
    hit = post_hit(duration_s=60, now=timezone.now())
    with receiving() as receiver:
        tell(hit, receiver.webhook, event_types=["AssignmentAbandoned"], now=timezone.now())
        assignment = accept(hit, now=timezone.now() - timedelta(minutes=2))

        tasks.settle()
        tasks.deliver_events()
        tasks.tidy()

    assert (status_of(assignment), receiver.event_types) == ("Abandoned", ["AssignmentAbandoned"])


def test_tidy_forgets_tokens_after_a_day() -> None:
    requester = make_requester().requester
    for name, age in (("old", DAY + timedelta(seconds=1)), ("young", DAY)):
        RequestToken.objects.create(
            requester=requester, operation="CreateHIT", token=name, made="HIT", created_at=NOW - age
        )

    assert retention.tidy(now=NOW) == 1
    assert RequestToken.objects.get().token == "young"


def test_tidy_removes_what_lets_nobody_in_any_more() -> None:
    worker, _ = invite(now=NOW)
    worker_sign_in.sign_in(worker=worker, now=NOW)

    early = retention.tidy(now=NOW)
    late = retention.tidy(now=NOW + timedelta(days=31))

    assert (early, late) == (0, 2)
    assert (WorkerSession.objects.count(), Invitation.objects.count()) == (0, 0)
    assert OperatorSession.objects.count() == 0


def test_tidy_removes_events_that_arrived_long_ago_and_never_one_that_waits() -> None:
    hit = post_hit()
    destination = tell(hit, "https://example.org/")
    make_event(destination=destination, delivered_at=NOW)
    recent = make_event(destination=destination, delivered_at=NOW + 2 * DAY)
    waiting = make_event(destination=destination)

    assert retention.tidy(now=NOW + 8 * DAY) >= 1
    assert set(Event.objects.all()) == {recent, waiting}


def test_tidy_keeps_the_reason_of_what_was_given_up_for_a_month() -> None:
    destination = tell(post_hit(), "https://example.org/")
    event = make_event(destination=destination)
    Event.objects.update(given_up_at=NOW)

    retention.tidy(now=NOW + 29 * DAY)
    kept = Event.objects.filter(pk=event.pk).exists()
    retention.tidy(now=NOW + 31 * DAY)

    assert (kept, Event.objects.count()) == (True, 0)


def test_tidy_removes_destinations_that_nothing_names() -> None:
    hit = post_hit()
    replaced = tell(hit, "https://example.org/old")
    used = tell(hit, "https://example.org/new")

    retention.tidy(now=NOW + DAY)
    soon = set(Destination.objects.all())
    retention.tidy(now=NOW + 8 * DAY)

    assert (soon, set(Destination.objects.all())) == ({replaced, used}, {used})


def test_tidy_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "MOST_AT_ONCE", 2)
    destination = tell(post_hit(), "https://example.org/")
    for _ in range(5):
        make_event(destination=destination, delivered_at=NOW)

    counts = [retention.tidy(now=NOW + 8 * DAY) for _ in range(4)]

    assert (sum(counts) >= 5, counts[0] <= 4, Event.objects.count()) == (True, True, 0)
