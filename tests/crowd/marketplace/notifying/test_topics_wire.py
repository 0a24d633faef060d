"""Refused calls about topics: by what they say, by who signed them, and by their number."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as Keys
from botocore.httpsession import URLLib3Session
from django.conf import LazySettings

from crowd.marketplace.models import Destination, Event, Subscription, Topic
from crowd.marketplace.services import topics
from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.crowd.marketplace.api import ClockedAuth
from tests.crowd.marketplace.topics import (
    ENDPOINT,
    NOT_FOUND,
    PARAMETER,
    make_topic,
    refused,
    subscribe,
)

pytestmark = pytest.mark.django_db(transaction=True)

FORM = "application/x-www-form-urlencoded; charset=utf-8"


@pytest.mark.parametrize(
    ("call", "values", "answer"),
    [
        ("create_topic", {"Name": "a b"}, PARAMETER),
        ("create_topic", {"Name": "ordered.fifo"}, PARAMETER),
        ("create_topic", {"Name": "a" * 257}, PARAMETER),
        ("create_topic", {"Name": "\u00e4\0"}, PARAMETER),
        ("create_topic", {"Name": "a", "Attributes": {"FifoTopic": "true"}}, PARAMETER),
        ("create_topic", {}, PARAMETER),
        ("subscribe", {"Protocol": "email", "Endpoint": "someone@example.org"}, PARAMETER),
        ("subscribe", {"Protocol": "http", "Endpoint": ENDPOINT}, PARAMETER),
        ("subscribe", {"Endpoint": "https://10.0.0.1/"}, PARAMETER),
        ("subscribe", {"Endpoint": "https://user@example.org/"}, PARAMETER),
        ("subscribe", {"Endpoint": f"https://example.org/{'a' * 2000}"}, PARAMETER),
        ("subscribe", {"Endpoint": "https://example.org/\u2028"}, PARAMETER),
        ("subscribe", {"Attributes": {"FilterPolicy": "{}"}}, PARAMETER),
        ("subscribe", {"TopicArn": "arn:aws:sns:us-east-1:000000000000:a"}, NOT_FOUND),
        ("subscribe", {"TopicArn": "\0"}, PARAMETER),
        ("confirm_subscription", {"Token": "\0"}, PARAMETER),
        ("confirm_subscription", {"Token": "0" * 5000}, PARAMETER),
        ("get_subscription_attributes", {"SubscriptionArn": "arn"}, NOT_FOUND),
        ("list_topics", {"NextToken": "\0"}, PARAMETER),
        ("list_subscriptions", {"NextToken": "9" * 20}, PARAMETER),
        ("set_topic_attributes", {"AttributeName": "FifoTopic", "AttributeValue": "true"}, PARAMETER),
        ("set_topic_attributes", {"AttributeName": "Policy", "AttributeValue": "[]"}, PARAMETER),
        ("set_topic_attributes", {"AttributeName": "Policy", "AttributeValue": "[" * 30_000}, PARAMETER),
        ("set_topic_attributes", {"AttributeName": "Policy", "AttributeValue": "x" * 30_721}, PARAMETER),
        ("set_topic_attributes", {"TopicArn": "arn", "AttributeName": "Policy"}, NOT_FOUND),
        ("add_permission", {"Label": "send"}, PARAMETER),
        ("publish", {"Message": "Hello"}, (400, "InvalidAction")),
    ],
)
def test_call_that_cannot_be_is_refused(
    sns: Any, call: str, values: dict[str, Any], answer: tuple[int, str]
) -> None:
    topic = make_topic(sns)
    usual = {"subscribe": {"TopicArn": topic, "Protocol": "https", "Endpoint": ENDPOINT}}
    for of_a_topic in ("confirm_subscription", "set_topic_attributes", "add_permission"):
        usual[of_a_topic] = {"TopicArn": topic}

    assert refused(getattr(sns, call), **{**usual.get(call, {}), **values}) == answer
    counts = [model._default_manager.count() for model in (Topic, Subscription, Destination, Event)]
    assert counts == [1, 0, 0, 0]


def test_topics_and_subscriptions_are_not_without_number(sns: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics, "MOST_TOPICS", 1)
    monkeypatch.setattr(topics, "MOST_SUBSCRIPTIONS", 1)
    topic = make_topic(sns)
    subscribe(sns, topic)

    too_many = [
        refused(sns.create_topic, Name="another"),
        refused(sns.subscribe, TopicArn=topic, Protocol="https", Endpoint=f"{ENDPOINT}/2"),
    ]

    assert too_many == [(403, "TopicLimitExceeded"), (403, "SubscriptionLimitExceeded")]
    assert make_topic(sns) == topic
    assert (Topic.objects.count(), Subscription.objects.count()) == (1, 1)


def signed(
    sites: Sites, credentials: Credentials, body: bytes, *, service: str = "sns", **off_by: float
) -> AWSRequest:
    request = AWSRequest("POST", f"{sites.marketplace}/", data=body, headers={"Content-Type": FORM})
    auth = ClockedAuth(Keys(credentials.access_key_id, credentials.secret_access_key), service, "us-east-1")
    auth.off_by = timedelta(**off_by)
    auth.add_auth(request)
    return request


def send(request: AWSRequest) -> tuple[int, str]:
    """Send the request; return the status and the code in the XML."""
    answer = URLLib3Session().send(request.prepare())
    text: str = answer.content.decode()
    return answer.status_code, text.partition("<Code>")[2].partition("</Code>")[0]


CREATE = urlencode({"Action": "CreateTopic", "Version": "2010-03-31", "Name": "mine"}).encode()


def test_unsigned_call_is_refused(sites: Sites, credentials: Credentials) -> None:
    request = signed(sites, credentials, CREATE)
    del request.headers["Authorization"]

    assert send(request) == (403, "MissingAuthenticationToken")
    assert Topic.objects.count() == 0


def test_call_changed_after_signing_is_refused(sites: Sites, credentials: Credentials) -> None:
    request = signed(sites, credentials, CREATE)
    request.data = CREATE + b"s"

    assert send(request) == (403, "SignatureDoesNotMatch")
    assert Topic.objects.count() == 0


def test_call_signed_for_another_service_or_time_is_refused(sites: Sites, credentials: Credentials) -> None:
    refusals = [
        send(signed(sites, credentials, CREATE, service="mturk-requester")),
        send(signed(sites, credentials, CREATE, minutes=-6)),
    ]

    assert refusals == [(403, "SignatureDoesNotMatch")] * 2
    assert Topic.objects.count() == 0


def test_call_by_an_unknown_key_is_refused(sites: Sites, credentials: Credentials) -> None:
    unknown = Credentials(**{**vars(credentials), "access_key_id": "CROWD0000000000000000"})

    assert send(signed(sites, unknown, CREATE)) == (403, "InvalidClientTokenId")
    assert Topic.objects.count() == 0


@pytest.mark.usefixtures("one_window")
def test_calls_are_counted_with_those_of_the_api(
    sites: Sites, credentials: Credentials, settings: LazySettings
) -> None:
    settings.MARKETPLACE_KEY_RATE = 1
    answers = [send(signed(sites, credentials, CREATE))[0] for _ in range(22)]

    assert set(answers) == {200, 400}
    assert send(signed(sites, credentials, CREATE)) == (400, "Throttling")


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        (b"", (400, "InvalidAction")),
        (b"\xff\x00", (400, "MalformedQueryString")),
        (b"Action=CreateTopic&Name=%ff", (400, "MalformedQueryString")),
        (b"Action=CreateTopic&Name=%ED%A0%80", (400, "MalformedQueryString")),
        (b"Action=CreateTopic&Name=%00", PARAMETER),
        (b"Action=CreateTopic&Name=" + b"a" * 1_000_000, PARAMETER),
        (b"Action=CreateTopic&Name=" + b"a" * 1_100_000, (413, "RequestEntityTooLarge")),
        (b"Action=CreateTopic&Name=" + b"a" * 3_000_000, (413, "RequestEntityTooLarge")),
        (b"&".join([b"a=b"] * 300), (400, "MalformedQueryString")),
        (b"Action=%3C/Code%3E", (400, "InvalidAction")),
        (b"Action=CreateTopic&Version=2009-01-01&Name=a", (400, "InvalidAction")),
        (b"Action=CreateTopic&Attributes.entry.1.key=%07%3C%26&Name=a", PARAMETER),
        (b"Action=ListTopics&NextToken=" + b"z" * 9000, (200, "")),
    ],
)
def test_hostile_form_gets_a_plain_answer(
    sites: Sites, credentials: Credentials, body: bytes, answer: tuple[int, str]
) -> None:
    assert send(signed(sites, credentials, body)) == answer
    assert Topic.objects.count() == 0
