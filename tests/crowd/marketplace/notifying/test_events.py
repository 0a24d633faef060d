"""The outbox: which events are written, and what they say."""

import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from crowd.marketplace.database import atomic
from crowd.marketplace.delivery.documents import document_of
from crowd.marketplace.models import HIT, Assignment, Event, NotificationSetting
from crowd.marketplace.services import events, hit_creation, hit_endings, work
from crowd.marketplace.services.oversight import take_downs
from tests.crowd.marketplace.receivers import tell
from tests.crowd.marketplace.rows import accept, hand_in, post_hit
from tests.factories import NOW

pytestmark = pytest.mark.django_db

ADDRESS = "webhook+https://example.org/events"


def recorded() -> Sequence[str]:
    return list(Event.objects.order_by("pk").values_list("event_type", flat=True))


def test_events_that_are_asked_for_are_recorded_in_their_order() -> None:
    hit = post_hit()
    destination = tell(hit, ADDRESS)

    hand_in(hit)

    assert recorded() == ["AssignmentAccepted", "AssignmentSubmitted"]
    assert set(Event.objects.values_list("destination", "occurred_at", "due_at", "attempts")) == {
        (destination.pk, NOW, NOW, 0)
    }


def test_events_nobody_asked_for_are_not_recorded() -> None:
    hit = post_hit()
    tell(hit, ADDRESS, event_types=["AssignmentSubmitted"])

    accept(hit)

    assert recorded() == []


def test_events_of_a_type_without_a_setting_are_not_recorded() -> None:
    told, untold = post_hit(title="Told"), post_hit(title="Untold")
    tell(told, ADDRESS)

    hand_in(untold)

    assert recorded() == []


def test_events_of_a_silenced_type_are_not_recorded() -> None:
    hit = post_hit()
    tell(hit, ADDRESS, is_active=False)

    hand_in(hit)

    assert recorded() == []


def test_event_goes_back_with_what_it_tells() -> None:
    hit = post_hit()
    tell(hit, ADDRESS)

    with suppress(work.NotAvailable), atomic():
        accept(hit)
        raise work.NotAvailable("no")

    assert (recorded(), Assignment.objects.count()) == ([], 0)


def test_event_document_is_the_services_own() -> None:
    hit = post_hit()
    tell(hit, ADDRESS)

    assignment = accept(hit)

    event = Event.objects.get()
    requester_id = hit.requester.external_id
    assert json.loads(document_of(event)) == {
        "Events": [
            {
                "EventType": "AssignmentAccepted",
                "EventTimestamp": "2026-11-21T12:00:00Z",
                "HITId": hit.external_id,
                "HITTypeId": hit.hit_type.external_id,
                "AssignmentId": assignment.external_id,
            }
        ],
        "EventDocId": event.document_id,
        "SourceAccount": requester_id,
        "CustomerId": requester_id,
        "EventDocVersion": "2014-08-15",
    }


def test_event_document_of_a_hit_names_no_assignment() -> None:
    hit = post_hit()
    tell(hit, ADDRESS, event_types=["HITExpired", "HITReviewable"])

    work.settle(now=NOW + timedelta(days=1))

    described = [json.loads(document_of(event))["Events"][0] for event in Event.objects.order_by("pk")]
    assert [one["EventType"] for one in described] == ["HITExpired", "HITReviewable"]
    assert all("AssignmentId" not in one for one in described)


@pytest.mark.parametrize(
    ("read_with", "queries"), [("hit_type", 1), ("hit_type__notification", 0)], ids=["plain", "joined"]
)
def test_event_that_nobody_wants_costs_a_look_up_at_most(
    django_assert_num_queries: DjangoAssertNumQueries, read_with: str, queries: int
) -> None:
    hit = HIT.objects.select_related(read_with).get(pk=post_hit().pk)

    with django_assert_num_queries(queries, using="marketplace"):
        events.record(hit=hit, event_type="AssignmentAccepted", now=NOW)


def test_setting_is_replaced_and_its_old_events_still_go_where_they_were_meant_to() -> None:
    hit = post_hit()
    first = tell(hit, ADDRESS)
    accept(hit)

    second = tell(hit, f"{ADDRESS}/new", event_types=["AssignmentReturned", "AssignmentReturned"])

    setting = NotificationSetting.objects.get()
    assert (setting.destination, setting.event_types) == (second, ["AssignmentReturned"])
    assert Event.objects.get().destination == first


@pytest.mark.parametrize("by", ["desk", "API"])
def test_end_of_a_hit_is_told_at_once_and_once_though_a_worker_has_it_open(by: str) -> None:
    hit = post_hit(max_assignments=2)
    tell(hit, ADDRESS, event_types=["HITExpired", "HITReviewable"])
    held = accept(hit)

    if by == "desk":
        take_downs.take_down(
            hit=hit, reason="No.", tells_workers=False, tells_requester=True, ends_work=False, now=NOW
        )
    else:
        with atomic():
            hit_endings.set_expiration(hit=hit_creation.lock_hit(hit.pk), expires_at=NOW, now=NOW)
    at_once = recorded()
    hit_endings.expire_hit(hit=hit, now=NOW)
    work.settle(now=NOW)
    work.submit_assignment(assignment=held, answer="<answer/>", now=NOW)

    assert at_once == ["HITExpired"]
    assert recorded() == ["HITExpired", "HITReviewable"]
