"""Subscriptions of topics, from the first confirmation message to the last, and whose they are."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.utils import timezone

from crowd.marketplace.delivery import http_post
from crowd.marketplace.models import Destination, Event, NotificationSetting, Subscription, Topic
from crowd.marketplace.services import retention, topics
from tests.conftest import Sites
from tests.crowd.marketplace.api import client_of, error_of, refusal_of
from tests.crowd.marketplace.receivers import receiving
from tests.crowd.marketplace.rows import post_hit
from tests.crowd.marketplace.site import stranger
from tests.crowd.marketplace.topics import (
    ENDPOINT,
    NOT_FOUND,
    PARAMETER,
    deliver,
    follow,
    make_topic,
    pending,
    refused,
    sns_of,
    specification,
    subscribe,
)
from tests.factories import make_requester

pytestmark = pytest.mark.django_db(transaction=True)


def test_subscribing_again_asks_again_once_the_letter_arrived(sns: Any) -> None:
    topic = make_topic(sns)
    with receiving() as receiver:
        arns = [subscribe(sns, topic, f"{receiver.url}/events") for _ in range(2)]
        deliver()
        arns.append(subscribe(sns, topic, f"{receiver.url}/events"))
        deliver()
        sns.confirm_subscription(TopicArn=topic, Token=receiver.posts[0].document["Token"])
        again = sns.subscribe(TopicArn=topic, Protocol="http", Endpoint=f"{receiver.url}/events")
        deliver()

    assert len(receiver.posts) == 2
    assert {*arns, again["SubscriptionArn"]} == {Subscription.objects.get().arn}


def test_subscription_is_listed_without_its_arn_until_it_is_confirmed(sns: Any) -> None:
    topic = make_topic(sns)
    answer = sns.subscribe(TopicArn=topic, Protocol="https", Endpoint=ENDPOINT)

    [listed] = sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]

    assert answer["SubscriptionArn"] == "pending confirmation"
    assert listed == {
        "SubscriptionArn": "PendingConfirmation",
        "Owner": topic.split(":")[4],
        "Protocol": "https",
        "Endpoint": ENDPOINT,
        "TopicArn": topic,
    }


def test_topic_of_another_requester_does_not_exist(sites: Sites, sns: Any) -> None:
    topic = make_topic(sns)
    with receiving() as receiver:
        arn = follow(sns, topic, receiver)
    token = Subscription.objects.get().token
    other = make_requester(now=timezone.now())
    theirs = sns_of(sites, other)

    answers = [
        refused(theirs.get_topic_attributes, TopicArn=topic),
        refused(theirs.list_subscriptions_by_topic, TopicArn=topic),
        refused(theirs.subscribe, TopicArn=topic, Protocol="https", Endpoint=ENDPOINT),
        refused(theirs.confirm_subscription, TopicArn=topic, Token=token),
        refused(theirs.get_subscription_attributes, SubscriptionArn=arn),
    ]
    theirs.delete_topic(TopicArn=topic)
    theirs.unsubscribe(SubscriptionArn=arn)
    their_hit = post_hit(requester=other.requester, now=timezone.now())
    setting = error_of(
        client_of(sites, other).update_notification_settings,
        HITTypeId=their_hit.hit_type.external_id,
        Notification=specification(topic),
    )

    assert answers == [NOT_FOUND] * 5
    assert refusal_of(setting).code == "InvalidTransportEndpoint"
    assert theirs.list_topics()["Topics"] == []
    assert make_topic(theirs) != topic
    assert pending(sns, arn) == "false"
    assert NotificationSetting.objects.count() == 0


def test_subscription_that_nobody_confirms_is_forgotten(sns: Any) -> None:
    topic = make_topic(sns)
    subscribe(sns, topic)
    token = Subscription.objects.get().token
    later = timezone.now() + topics.CONFIRMATION_LIFE + timedelta(hours=1)
    Subscription.objects.update(asked_at=timezone.now() - topics.CONFIRMATION_LIFE)

    late = refused(sns.confirm_subscription, TopicArn=topic, Token=token)
    opened = stranger().get(f"/notifications/confirm/{token}/").status_code
    retention.tidy(now=later)

    assert (late, opened) == (PARAMETER, 400)
    assert (Topic.objects.count(), Subscription.objects.count()) == (1, 0)


def test_subscription_outlives_the_quiet_of_its_topic(sns: Any) -> None:
    topic = make_topic(sns)
    with receiving() as receiver:
        arn = follow(sns, topic, receiver)
        deliver()

    for days in (30, 60):
        retention.tidy(now=timezone.now() + timedelta(days=days))

    assert (Event.objects.count(), Destination.objects.count()) == (0, 1)
    assert pending(sns, arn) == "false"


def test_address_inside_the_house_gets_no_letter(
    sns: Any, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address is checked when something is sent to it, as for every other notification."""
    topic = make_topic(sns)
    with receiving() as receiver:
        subscribe(sns, topic, f"{receiver.url}/events")
        monkeypatch.setattr(http_post, "is_on_loopback", lambda _: False)

        deliver()

    assert receiver.posts == []
    assert Event.objects.get().last_error == "The address must begin with https://."


@pytest.mark.parametrize("token", ["", "x", "a" * 300, "%00", "../x"])
def test_confirmation_address_that_was_never_sent_confirms_nothing(sns: Any, token: str) -> None:
    subscribe(sns, make_topic(sns))

    status = stranger().get(f"/notifications/confirm/{token}/").status_code

    assert status in (400, 404)
    assert stranger().post(f"/notifications/confirm/{Subscription.objects.get().token}/").status_code == 405
    assert Subscription.objects.get().confirmed_at is None
