"""Topics over HTTP, through boto3's SNS client: events reach their confirmed subscribers."""

import json
from typing import Any
from urllib.request import urlopen

import pytest
from django.utils import timezone

from crowd.marketplace.models import HIT, Event, NotificationSetting, Subscription, Topic
from crowd.marketplace.services.requesters import Credentials
from crowd.marketplace.sns import actions
from tests.conftest import Sites
from tests.crowd.marketplace.api import client_of, error_of, refusal_of
from tests.crowd.marketplace.notifying.test_delivery_sns import headers_of, verify
from tests.crowd.marketplace.receivers import receiving
from tests.crowd.marketplace.rows import accept, post_hit
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
    tell,
)
from tests.factories import make_requester

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def hit(credentials: Credentials) -> HIT:
    return post_hit(requester=credentials.requester, max_assignments=5, now=timezone.now())


def test_topic_is_made_once_by_its_name(sns: Any, credentials: Credentials) -> None:
    arns = [make_topic(sns), make_topic(sns), make_topic(sns, "another")]

    account = f"{credentials.requester.pk:012}"
    assert arns == [
        f"arn:aws:sns:us-east-1:{account}:{name}" for name in ("experiment-1",) * 2 + ("another",)
    ]
    assert [topic["TopicArn"] for topic in sns.list_topics()["Topics"]] == [arns[2], arns[0]]
    assert sns.get_topic_attributes(TopicArn=arns[0])["Attributes"] == {
        "TopicArn": arns[0],
        "Owner": account,
        "DisplayName": "",
        "SubscriptionsConfirmed": "0",
        "SubscriptionsPending": "0",
        "SubscriptionsDeleted": "0",
    }


def test_what_a_script_sets_on_its_topic_is_kept_and_told(sns: Any) -> None:
    topic = sns.create_topic(Name="own", Attributes={"DisplayName": "Own"})["TopicArn"]
    given = {"Version": "2012-10-17", "Statement": [{"Sid": "all", "Effect": "Allow"}]}
    sns.set_topic_attributes(TopicArn=topic, AttributeName="Policy", AttributeValue=json.dumps(given))
    sns.add_permission(TopicArn=topic, Label="send", AWSAccountId=["755651556756"], ActionName=["Publish"])
    twice = refused(
        sns.add_permission, TopicArn=topic, Label="send", AWSAccountId=["1"], ActionName=["Publish"]
    )
    sns.remove_permission(TopicArn=topic, Label="all")

    told = sns.get_topic_attributes(TopicArn=topic)["Attributes"]
    assert told["DisplayName"] == "Own"
    assert twice == PARAMETER
    assert json.loads(told["Policy"]) == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "send",
                "Effect": "Allow",
                "Principal": {"AWS": ["755651556756"]},
                "Action": ["SNS:Publish"],
                "Resource": topic,
            }
        ],
    }


def test_own_subscriptions_are_listed_over_all_topics(
    sites: Sites, sns: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "PAGE", 2)
    other = sns_of(sites, make_requester(now=timezone.now()))
    subscribe(other, make_topic(other))
    for number in range(3):
        topic = sns.create_topic(Name=f"t{number}")["TopicArn"]
        sns.subscribe(TopicArn=topic, Protocol="https", Endpoint=f"{ENDPOINT}/{number}")

    pages = list(sns.get_paginator("list_subscriptions").paginate())

    listed = [[one["Endpoint"].rpartition("/")[2] for one in page["Subscriptions"]] for page in pages]
    assert listed == [["0", "1"], ["2"]]


def test_topics_are_listed_page_by_page(sns: Any, credentials: Credentials) -> None:
    now = timezone.now()
    Topic.objects.bulk_create(
        Topic(requester=credentials.requester, name=f"t{number:03}", created_at=now) for number in range(205)
    )

    pages = list(sns.get_paginator("list_topics").paginate())

    names = [topic["TopicArn"].rpartition(":")[2] for page in pages for topic in page["Topics"]]
    assert [len(page["Topics"]) for page in pages] == [100, 100, 5]
    assert names == [f"t{number:03}" for number in range(205)]


def test_subscription_is_confirmed_by_opening_its_address(sites: Sites, sns: Any) -> None:
    topic = make_topic(sns)
    with receiving() as receiver:
        arn = subscribe(sns, topic, f"{receiver.url}/events")
        before = pending(sns, arn)
        deliver()
    [post] = receiver.posts
    letter = post.document

    with urlopen(letter["SubscribeURL"], timeout=10) as answer:  # noqa: S310 (our own address)
        content = answer.read().decode()

    assert (before, pending(sns, arn)) == ("true", "false")
    assert f"<SubscriptionArn>{arn}</SubscriptionArn>" in content
    assert letter["SubscribeURL"].startswith(f"{sites.marketplace}/notifications/confirm/")
    assert (letter["Type"], letter["TopicArn"]) == ("SubscriptionConfirmation", topic)
    assert headers_of(post)["message-type"] == "SubscriptionConfirmation"
    verify(letter)


def test_subscription_is_confirmed_by_the_owner_who_got_the_token(sns: Any) -> None:
    topic = make_topic(sns)
    with receiving() as receiver:
        arn = subscribe(sns, topic, f"{receiver.url}/events")
        deliver()

    token = receiver.posts[0].document["Token"]
    confirmed = [sns.confirm_subscription(TopicArn=topic, Token=token) for _ in range(2)]

    assert [answer["SubscriptionArn"] for answer in confirmed] == [arn, arn]
    assert sns.get_subscription_attributes(SubscriptionArn=arn)["Attributes"] == {
        "SubscriptionArn": arn,
        "TopicArn": topic,
        "Owner": topic.split(":")[4],
        "Protocol": "http",
        "Endpoint": f"{receiver.url}/events",
        "PendingConfirmation": "false",
        "RawMessageDelivery": "false",
    }


def test_event_reaches_the_confirmed_alone_and_signed(
    sites: Sites, sns: Any, credentials: Credentials, hit: HIT
) -> None:
    topic = make_topic(sns)
    with receiving() as first, receiving() as second, receiving() as unconfirmed:
        arn = follow(sns, topic, first)
        follow(sns, topic, second)
        subscribe(sns, topic, f"{unconfirmed.url}/events")
        tell(sites, credentials, hit, topic)
        deliver()
        taken = accept(hit, now=timezone.now())

        deliver()

    post = first.posts[-1]
    notification = post.document
    document = json.loads(notification["Message"])
    kinds = [[post.document["Type"] for post in one.posts] for one in (first, second, unconfirmed)]
    assert kinds == [["SubscriptionConfirmation", "Notification"]] * 2 + [["SubscriptionConfirmation"]]
    assert document["Events"][0]["AssignmentId"] == taken.external_id
    assert json.loads(second.posts[-1].document["Message"]) == document
    assert second.posts[-1].document["MessageId"] == notification["MessageId"]
    assert notification["TopicArn"] == topic
    assert {name: headers_of(post)[name] for name in ("message-type", "topic-arn", "subscription-arn")} == {
        "message-type": "Notification",
        "topic-arn": topic,
        "subscription-arn": arn,
    }
    verify(notification)


def test_one_address_may_hear_of_two_topics(
    sns: Any, sites: Sites, credentials: Credentials, hit: HIT
) -> None:
    one, other = make_topic(sns), make_topic(sns, "another")
    with receiving() as receiver:
        follow(sns, one, receiver)
        follow(sns, other, receiver)
        tell(sites, credentials, hit, other)
        accept(hit, now=timezone.now())

        deliver()

    told = [post.document["TopicArn"] for post in receiver.posts if post.document["Type"] == "Notification"]
    assert told == [other]


def test_unsubscribing_stops_what_waits_and_what_would_come(
    sns: Any, sites: Sites, credentials: Credentials, hit: HIT
) -> None:
    topic = make_topic(sns)
    with receiving() as receiver:
        arn = follow(sns, topic, receiver)
        tell(sites, credentials, hit, topic)
        deliver()
        accept(hit, now=timezone.now())
        for _ in range(2):
            sns.unsubscribe(SubscriptionArn=arn)
        accept(hit, now=timezone.now())

        deliver()

    assert [post.document["Type"] for post in receiver.posts] == ["SubscriptionConfirmation"]
    assert refused(sns.get_subscription_attributes, SubscriptionArn=arn) == NOT_FOUND
    assert sns.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"] == []


def test_event_written_while_somebody_unsubscribes_goes_nowhere(
    sns: Any, sites: Sites, credentials: Credentials, hit: HIT
) -> None:
    topic = make_topic(sns)
    with receiving() as receiver:
        follow(sns, topic, receiver)
        tell(sites, credentials, hit, topic)
        Event.objects.all().delete()
        accept(hit, now=timezone.now())
        Subscription.objects.all().delete()

        deliver()

    assert receiver.posts == []
    assert Event.objects.get().last_error == "This subscription has ended."


def test_deleted_topic_takes_its_subscriptions_and_settings_along(
    sns: Any, sites: Sites, credentials: Credentials, hit: HIT
) -> None:
    topic = make_topic(sns)
    with receiving() as receiver:
        follow(sns, topic, receiver)
        tell(sites, credentials, hit, topic)
        accept(hit, now=timezone.now())
        for _ in range(2):
            sns.delete_topic(TopicArn=topic)
        accept(hit, now=timezone.now())

        deliver()

    assert receiver.posts == []
    rows = (Topic, Subscription, NotificationSetting, Event)
    assert [model._default_manager.count() for model in rows] == [0, 0, 0, 0]
    assert refused(sns.get_topic_attributes, TopicArn=topic) == NOT_FOUND


def test_test_event_of_a_topic_goes_to_its_subscribers(
    sns: Any, sites: Sites, credentials: Credentials
) -> None:
    client, topic = client_of(sites, credentials), make_topic(sns)
    test = {"Notification": specification(topic), "TestEventType": "Ping"}
    nobody = refusal_of(error_of(client.send_test_event_notification, **test)).code
    with receiving() as receiver:
        follow(sns, topic, receiver)
        for _ in range(2):
            client.send_test_event_notification(**test)

        deliver()

    notified = [post for post in receiver.posts if post.document["Type"] == "Notification"]
    messages = [json.loads(post.document["Message"]) for post in notified]
    assert nobody == "InvalidTransportEndpoint"
    assert [message["Events"][0]["EventType"] for message in messages] == ["Ping", "Ping"]


def test_setting_goes_from_an_address_to_a_topic_and_back(
    sns: Any, sites: Sites, credentials: Credentials, hit: HIT
) -> None:
    topic = make_topic(sns)
    found = NotificationSetting.objects.filter(hit_type=hit.hit_type)
    told = []
    for address in (ENDPOINT, topic, ENDPOINT):
        tell(sites, credentials, hit, address)
        told.append(str(found.select_related("topic", "destination").get()).rpartition(" ")[2])

    assert told == [ENDPOINT, topic, ENDPOINT]
