"""UpdateNotificationSettings and SendTestEventNotification through boto3."""

from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connections
from django.utils import timezone

from crowd.marketplace.delivery.sweep import deliver_events
from crowd.marketplace.models import HIT, Destination, Event, NotificationSetting
from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.crowd.marketplace.api import Refusal, client_of, error_of, refusal_of, refused
from tests.crowd.marketplace.receivers import Answer, Post, receiving
from tests.crowd.marketplace.rows import accept, hand_in, post_hit
from tests.factories import make_requester

pytestmark = pytest.mark.django_db(transaction=True)

PARAMETER = Refusal(kind="ParameterValidationError")
ENDPOINT = Refusal(code="InvalidTransportEndpoint")
ADDRESS = "webhook+https://example.org/events"


@pytest.fixture
def client(sites: Sites, credentials: Credentials) -> Any:
    return client_of(sites, credentials)


@pytest.fixture
def hit(credentials: Credentials) -> HIT:
    return post_hit(requester=credentials.requester, max_assignments=5, now=timezone.now())


def specification(address: str = ADDRESS, **changes: Any) -> dict[str, Any]:
    values = {
        "Destination": address,
        "Transport": "SNS",
        "Version": "2006-05-05",
        "EventTypes": ["AssignmentAccepted"],
    }
    return {**values, **changes}


def settings_of(hit: HIT) -> list[tuple[str, bool]]:
    """Addresses of the HIT's type, and whether each is active."""
    found = NotificationSetting.objects.filter(hit_type=hit.hit_type)
    return list(found.values_list("destination__address", "is_active"))


def test_notification_is_sent_while_active_and_silenced_without_it(client: Any, hit: HIT) -> None:
    type_id = hit.hit_type.external_id
    with receiving() as receiver:
        client.update_notification_settings(
            HITTypeId=type_id, Notification=specification(receiver.webhook), Active=True
        )
        told = accept(hit, now=timezone.now())
        client.update_notification_settings(HITTypeId=type_id, Active=False)
        accept(hit, now=timezone.now())
        client.update_notification_settings(HITTypeId=type_id, Active=True)
        told_again = accept(hit, now=timezone.now())

        deliver_events(now=timezone.now())

    described = [post.document["Events"][0]["AssignmentId"] for post in receiver.posts]
    assert described == [told.external_id, told_again.external_id]
    assert settings_of(hit) == [(receiver.webhook, True)]


def test_notification_without_active_leaves_that_as_it_was(client: Any, hit: HIT) -> None:
    type_id = hit.hit_type.external_id

    client.update_notification_settings(HITTypeId=type_id, Notification=specification())
    first = settings_of(hit)
    client.update_notification_settings(HITTypeId=type_id, Active=False)
    client.update_notification_settings(HITTypeId=type_id, Notification=specification(f"{ADDRESS}/2"))

    assert (first, settings_of(hit)) == ([(ADDRESS, True)], [(f"{ADDRESS}/2", False)])


@pytest.mark.parametrize("params", [{}, {"Active": True}, {"Active": False}])
def test_notification_that_was_never_set_cannot_be_switched(
    client: Any, hit: HIT, params: dict[str, bool]
) -> None:
    type_id = hit.hit_type.external_id

    assert refused(client.update_notification_settings, HITTypeId=type_id, **params) == PARAMETER
    assert settings_of(hit) == []


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"Version": "2017-01-17"}, PARAMETER),
        ({"EventTypes": []}, PARAMETER),
        ({"EventTypes": ["HITForgotten"]}, Refusal(kind="ValidationException")),
        ({"Transport": "Pigeon"}, Refusal(kind="ValidationException")),
        ({"Transport": "Email", "Destination": "someone@example.org"}, ENDPOINT),
        ({"Destination": "arn:aws:sns:us-east-1:123456789012:topic"}, ENDPOINT),
        ({"Destination": "example.org"}, ENDPOINT),
        ({"Destination": "https://10.0.0.1/"}, ENDPOINT),
        ({"Destination": "webhook+http://10.0.0.1/"}, ENDPOINT),
        ({"Destination": "webhook+ftp://example.org/"}, ENDPOINT),
        ({"Destination": "https://example.org/\u2028"}, ENDPOINT),
        ({"Transport": "SQS", "Destination": "https://example.org/1/q"}, ENDPOINT),  # no credentials
        ({"Transport": "SQS", "Destination": "arn:aws:sqs:us-east-1:1:q"}, ENDPOINT),
    ],
)
def test_notification_that_could_not_be_sent_is_refused(
    client: Any, hit: HIT, changes: dict[str, Any], refusal: Refusal
) -> None:
    wish = {"HITTypeId": hit.hit_type.external_id, "Notification": specification(**changes)}
    test = {"Notification": specification(**changes), "TestEventType": "Ping"}

    assert refused(client.update_notification_settings, **wish) == refusal
    assert refused(client.send_test_event_notification, **test) == refusal
    assert (settings_of(hit), Destination.objects.count(), Event.objects.count()) == ([], 0, 0)


def test_notification_to_an_arn_is_told_what_to_give(client: Any, hit: HIT) -> None:
    error = error_of(
        client.update_notification_settings,
        HITTypeId=hit.hit_type.external_id,
        Notification=specification("arn:aws:sns:us-east-1:123456789012:topic"),
    )

    message = error.response["Error"]["Message"]
    assert message.startswith("You have no SNS topic of this ARN here. Give the https address that shall")


def test_notification_to_a_queue_is_taken_where_there_are_credentials(
    client: Any, hit: HIT, settings: LazySettings
) -> None:
    settings.MARKETPLACE_SQS_ACCESS_KEY_ID = settings.MARKETPLACE_SQS_SECRET_ACCESS_KEY = "set"
    url = "https://sqs.us-east-1.amazonaws.com/123456789012/queue"

    client.update_notification_settings(
        HITTypeId=hit.hit_type.external_id, Notification=specification(url, Transport="SQS")
    )

    assert settings_of(hit) == [(url, True)]


def test_hit_type_of_another_requester_does_not_exist(sites: Sites, hit: HIT) -> None:
    stranger = client_of(sites, make_requester(now=timezone.now()))
    wish = {"HITTypeId": hit.hit_type.external_id, "Notification": specification()}

    refusal = refused(stranger.update_notification_settings, **wish)

    assert refusal == Refusal(code="HITTypeDoesNotExist")
    assert settings_of(hit) == []


@pytest.mark.parametrize("event_type", ["Ping", "AssignmentSubmitted", "HITExpired"])
def test_test_event_is_sent_at_once(client: Any, credentials: Credentials, event_type: str) -> None:
    with receiving() as receiver:
        wish = specification(receiver.webhook)
        client.send_test_event_notification(Notification=wish, TestEventType=event_type)
        client.send_test_event_notification(
            Notification=specification(f"{receiver.url}/sns"), TestEventType=event_type
        )

    plain, _ = receiver.posts
    [described] = plain.document["Events"]
    assert described["EventType"] == event_type
    assert ("AssignmentId" in described) == event_type.startswith("Assignment")
    assert plain.document["CustomerId"] == credentials.requester.external_id
    assert Event.objects.exclude(delivered_at=None).count() == 2
    assert HIT.objects.count() == 0


def test_test_event_that_does_not_arrive_is_told(client: Any) -> None:
    with receiving(404) as receiver:
        wish = {"Notification": specification(receiver.webhook), "TestEventType": "Ping"}
        error = error_of(client.send_test_event_notification, **wish)

    assert refusal_of(error) == ENDPOINT
    assert error.response["Error"]["Message"].startswith("It answered 404.")
    assert Event.objects.count() == 0


def test_events_of_a_whole_life_arrive_in_order(client: Any, hit: HIT) -> None:
    types = ["AssignmentAccepted", "AssignmentSubmitted", "AssignmentApproved", "AssignmentRejected"]
    with receiving() as receiver:
        client.update_notification_settings(
            HITTypeId=hit.hit_type.external_id,
            Notification=specification(receiver.webhook, EventTypes=types),
        )
        good, bad = (hand_in(hit, now=timezone.now()) for _ in range(2))
        client.approve_assignment(AssignmentId=good.external_id)
        client.reject_assignment(AssignmentId=bad.external_id, RequesterFeedback="No.")

        deliver_events(now=timezone.now())

    assert receiver.event_types == [*types[:2], *types[:2], *types[2:]]


def test_nothing_is_locked_while_an_event_is_sent(client: Any, hit: HIT) -> None:
    """The receiver itself causes events, which an open transaction would keep waiting."""

    def work_meanwhile(_: Post) -> Answer:
        try:
            accept(hit, now=timezone.now())
        finally:
            connections.close_all()
        return 200, {}, b""

    with receiving(answer=work_meanwhile) as receiver:
        wish = specification(receiver.webhook)
        client.update_notification_settings(HITTypeId=hit.hit_type.external_id, Notification=wish)
        client.send_test_event_notification(Notification=wish, TestEventType="Ping")
        deliver_events(now=timezone.now())

    assert receiver.event_types == ["Ping", "AssignmentAccepted"]
    assert list(Event.objects.order_by("pk").values_list("last_error", flat=True)) == ["", "", ""]


def test_test_events_of_one_requester_come_one_at_a_time(client: Any, sites: Sites) -> None:
    others = client_of(sites, make_requester(now=timezone.now()))
    refusals: list[Refusal] = []

    def ask_again(_: Post) -> Answer:
        if len(receiver.posts) == 1:
            wish = {"Notification": specification(receiver.webhook), "TestEventType": "Ping"}
            refusals.append(refused(client.send_test_event_notification, **wish))
            others.send_test_event_notification(**wish)
        return 200, {}, b""

    with receiving(answer=ask_again) as receiver:
        wish = {"Notification": specification(receiver.webhook), "TestEventType": "Ping"}
        client.send_test_event_notification(**wish)
        client.send_test_event_notification(**wish)

    assert refusals == [Refusal(kind="ThrottlingException")]
    assert len(receiver.posts) == 3


def test_address_longer_than_its_column_is_refused(client: Any, hit: HIT) -> None:
    longest = ADDRESS + "x" * (2000 - len(ADDRESS))

    refusal = refused(
        client.update_notification_settings,
        HITTypeId=hit.hit_type.external_id,
        Notification=specification(longest + "x"),
        Active=True,
    )
    client.update_notification_settings(
        HITTypeId=hit.hit_type.external_id, Notification=specification(longest), Active=True
    )

    assert refusal == ENDPOINT
    assert settings_of(hit) == [(longest, True)]
