"""Queues: messages come at most ten at a time and are deleted one by one; Amazon's only where allowed."""

import pytest
from django.conf import LazySettings

from hits.core.errors import ProviderRefused, ProviderUnavailable
from hits.providers.gateway.queues import Message, queue_for, region_of
from hits.providers.models.accounts import Account
from tests.hits.loopback_queue import serving_queue


def account(address: str) -> Account:
    return Account(notify_address=address, access_key_id="QUEUEKEY", secret_access_key="secret")


def test_queue_gives_ten_at_a_time_until_they_are_deleted() -> None:
    with serving_queue() as served:
        for number in range(12):
            served.put(f"body {number}")
        queue = queue_for(account(served.url))

        first = queue.receive()
        again = queue.receive()
        for message in first:
            queue.delete(message)
        rest = queue.receive()

    assert [message.body for message in first] == [f"body {number}" for number in range(10)]
    assert again == first
    assert [message.body for message in rest] == ["body 10", "body 11"]
    assert served.credentials == {"QUEUEKEY"}


def test_queue_that_is_empty_gives_nothing() -> None:
    with serving_queue() as served:
        assert queue_for(account(served.url)).receive() == []


@pytest.mark.parametrize(("status", "error"), [(403, ProviderRefused), (500, ProviderUnavailable)])
def test_queue_that_says_no_is_told_apart_from_one_that_fails(status: int, error: type[Exception]) -> None:
    with serving_queue() as served:
        served.status = status

        with pytest.raises(error):
            queue_for(account(served.url)).receive()


def test_queue_that_is_away_is_unavailable() -> None:
    with pytest.raises(ProviderUnavailable):
        queue_for(account("http://127.0.0.1:9/q")).delete(Message(body="", receipt="r"))


@pytest.mark.parametrize(
    "address", ["", "events", "ftp://host/q", "http://[/q", "arn:aws:sqs:x:1:q", "http://a b/q"]
)
def test_queue_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(ProviderRefused):
        queue_for(account(address))


@pytest.mark.parametrize(
    "host", ["sqs.eu-west-1.amazonaws.com", "SQS.EU-WEST-1.AMAZONAWS.COM.", "x.amazonaws.com"]
)
def test_queue_of_amazon_is_refused_unless_it_is_allowed(settings: LazySettings, host: str) -> None:
    settings.ALLOW_AMAZON = False

    with pytest.raises(ProviderRefused, match="CROWD_ALLOW_AMAZON"):
        queue_for(account(f"https://{host}/1/q"))

    settings.ALLOW_AMAZON = True
    queue_for(account(f"https://{host}/1/q"))


@pytest.mark.parametrize(
    ("host", "region"),
    [
        ("sqs.eu-west-1.amazonaws.com", "eu-west-1"),
        ("eu-north-1.queue.amazonaws.com", "eu-north-1"),
        ("queue.example", "us-east-1"),
        ("sqs.eu-west-1.amazonaws.com.example", "us-east-1"),
    ],
)
def test_queue_region_is_what_the_host_says(host: str, region: str) -> None:
    assert region_of(host) == region
