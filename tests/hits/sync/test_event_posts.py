"""The webhook for events: which requests are accepted, how others are refused, and an event's whole way."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from crowd.marketplace import models as marketplace
from crowd.marketplace.delivery.sweep import deliver_events
from crowd.marketplace.services.requesters import Credentials
from hits.providers.gateway import signatures
from hits.providers.models.accounts import Account
from hits.sync.domain import LONGEST
from hits.sync.models import Event, Notice
from hits.sync.services import event_inbox
from hits.work.models.hits import HIT
from tests.conftest import Sites
from tests.crowd.marketplace.api import client_of, hit_input
from tests.crowd.marketplace.rows import accept, hand_in
from tests.crowd.marketplace.topics import make_topic, sns_of
from tests.factories import external_question, make_account, make_batch, make_hit, make_requester
from tests.hits.certificates import Shelf, certificate, message, serving_shelf
from tests.hits.loopback_queue import serving_queue
from tests.hits.notices import document, told

pytestmark = pytest.mark.django_db


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    with serving_shelf() as served:
        yield served


@pytest.fixture(autouse=True)
def _no_certificate_yet() -> None:
    signatures._certificate.cache_clear()


def sign(body: str, *, key: str = "ticket-key", seconds: float = 0) -> str:
    moment = int(timezone.now().timestamp() + seconds)
    digest = hmac.new(key.encode(), f"{moment}.{body}".encode(), hashlib.sha256).hexdigest()
    return f"t={moment},v1={digest}"


def post(client: Client, account: Account | str, body: str, *, door: str = "webhook", **headers: str) -> Any:
    public_id = account.public_id if isinstance(account, Account) else account
    return client.post(
        f"/api/events/{public_id}/{door}/", body, content_type="application/json", headers=headers
    )


def post_signed(client: Client, account: Account, body: str, **changes: Any) -> Any:
    return post(client, account, body, **{"X-Marketplace-Signature": sign(body, **changes)})


def test_webhook_keeps_what_is_signed_and_takes_a_repeat_as_well(client: Client) -> None:
    account = make_account()
    body = document(told("Ping"))

    answers = [post_signed(client, account, body) for _ in range(2)]

    assert [(answer.status_code, answer.json()) for answer in answers] == [(200, {"ok": True})] * 2
    assert Notice.objects.get().body == body
    assert not answers[0].cookies


@pytest.mark.parametrize("changes", [{"key": "another"}, {"seconds": -400}, {"seconds": 400}])
def test_webhook_refuses_what_is_not_signed_by_the_account(client: Client, changes: dict[str, Any]) -> None:
    answer = post_signed(client, make_account(), document(told("Ping")), **changes)

    assert (answer.status_code, answer.json()) == (403, {"ok": False})
    assert not Notice.objects.exists()


def test_webhook_without_any_signature_is_refused(client: Client) -> None:
    answer = post(client, make_account(), document(told("Ping")))

    assert (answer.status_code, answer.json()) == (403, {"ok": False})
    assert not Notice.objects.exists()


@pytest.mark.parametrize("door", ["webhook", "sns"])
def test_inbox_of_an_unknown_account_looks_like_any_other(client: Client, door: str) -> None:
    answer = post(client, str(uuid4()), "x", door=door)

    assert (answer.status_code, answer.json()) == (404, {"ok": False})


@pytest.mark.parametrize("body", ["", "no JSON", "[]", "{}", "[" * 100_000, document(told(""))])
def test_webhook_refuses_rubbish_even_if_it_is_signed(client: Client, body: str) -> None:
    answer = post_signed(client, make_account(), body)

    assert (answer.status_code, answer.json()) == (400, {"ok": False})
    assert not Notice.objects.exists()


@pytest.mark.parametrize("door", ["webhook", "sns"])
def test_inbox_reads_nothing_that_is_too_long(client: Client, door: str) -> None:
    answer = post(client, make_account(), "x" * (LONGEST + 1), door=door)

    assert (answer.status_code, answer.json()) == (413, {"ok": False})


@pytest.mark.parametrize("length", ["-1", "x", "9" * 5000])
def test_inbox_survives_a_length_that_is_none(client: Client, length: str) -> None:
    url = f"/api/events/{make_account().public_id}/webhook/"

    assert client.post(url, "{}", content_type="application/json", CONTENT_LENGTH=length).status_code == 413


def test_inbox_survives_bytes_that_are_no_text(client: Client) -> None:
    account = make_account(notify_by="sns")
    url = f"/api/events/{account.public_id}/sns/"

    assert client.post(url, b"\xff\xfe", content_type="text/plain").status_code == 400


@pytest.mark.parametrize("door", ["webhook", "sns"])
def test_inbox_answers_posts_alone(client: Client, door: str) -> None:
    assert client.get(f"/api/events/{make_account().public_id}/{door}/").status_code == 405


@pytest.mark.parametrize("notify_by", ["none", "webhook", "sqs"])
def test_topic_door_is_shut_unless_the_account_hears_by_it(
    client: Client, shelf: Shelf, notify_by: str
) -> None:
    account = make_account(endpoint=shelf.url, notify_by=notify_by)
    said = message(shelf.put("/c.pem", current_certificate()), Message=document(told("Ping")))

    answer = post(client, account, json.dumps(said), door="sns")

    assert (answer.status_code, shelf.asked) == (403, [])
    assert not Notice.objects.exists()


def test_topic_door_keeps_what_its_host_has_signed(client: Client, shelf: Shelf) -> None:
    account = make_account(endpoint=shelf.url, notify_by="sns")
    said = document(told("Ping"))
    url = shelf.put("/c.pem", current_certificate())

    answers = [post(client, account, json.dumps(message(url, Message=said)), door="sns") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert Notice.objects.get().body == said


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"Signature": "AAAA"}, 403),
        ({"SigningCertURL": "http://127.0.0.1:9/c.pem"}, 403),
        ({"Type": "Else"}, 403),
    ],
)
def test_topic_door_refuses_what_is_not_signed(
    client: Client, shelf: Shelf, changes: dict[str, str], status: int
) -> None:
    account = make_account(endpoint=shelf.url, notify_by="sns")
    said = message(shelf.put("/c.pem", current_certificate()), Message=document(told("Ping")))

    answer = post(client, account, json.dumps({**said, **changes}), door="sns")

    assert (answer.status_code, answer.json()) == (status, {"ok": False})
    assert not Notice.objects.exists()


def test_topic_door_asks_to_come_again_when_there_is_no_certificate(client: Client, shelf: Shelf) -> None:
    account = make_account(endpoint=shelf.url, notify_by="sns")

    answer = post(client, account, json.dumps(message(f"{shelf.url}/c.pem")), door="sns")

    assert (answer.status_code, answer.json()) == (503, {"ok": False})


def test_topic_door_takes_a_farewell_and_does_nothing(client: Client, shelf: Shelf) -> None:
    account = make_account(endpoint=shelf.url, notify_by="sns")
    url = shelf.put("/c.pem", current_certificate())
    said = message(url, Type="UnsubscribeConfirmation", Token="t", SubscribeURL=f"{shelf.url}/again/")

    answer = post(client, account, json.dumps(said), door="sns")

    assert (answer.status_code, shelf.asked) == (200, ["/c.pem"])
    assert not Notice.objects.exists()


def current_certificate() -> bytes:
    return certificate(begins=timezone.now() - timedelta(days=1))


# An event's whole way, from the marketplace to our rows, over real HTTP.


def account_of(sites: Sites, credentials: Credentials, **changes: Any) -> Account:
    return make_account(
        endpoint=sites.marketplace,
        worker_site=sites.marketplace,
        access_key_id=credentials.access_key_id,
        secret_access_key=credentials.secret_access_key,
        ticket_key=credentials.ticket_key,
        **changes,
    )


def launch(sites: Sites, credentials: Credentials, account: Account) -> tuple[HIT, marketplace.HIT]:
    """Make one HIT on both sides, at which the product would look in an hour."""
    question = external_question(f"{sites.public}/q/")
    created = client_of(sites, credentials).create_hit(**hit_input(Question=question, MaxAssignments=2))[
        "HIT"
    ]
    batch = make_batch(account=account, status="open", hit_type_id=created["HITTypeId"])
    hit = make_hit(batch=batch, external_id=created["HITId"], look_at=timezone.now() + timedelta(hours=1))
    assert event_inbox.subscribe_batches(now=timezone.now()) == 1
    return hit, marketplace.HIT.objects.get(external_id=created["HITId"])


def is_due(hit: HIT) -> bool:
    hit.refresh_from_db()
    return hit.look_at is not None and hit.look_at <= timezone.now()


def arrive() -> list[str]:
    """Deliver, poll and handle all events that are on their way. Returns the kinds that were recorded."""
    deliver_events(now=timezone.now())
    event_inbox.poll_queues(now=timezone.now())
    event_inbox.handle_notices(now=timezone.now())
    return list(Event.objects.order_by("occurred_at", "pk").values_list("kind", flat=True))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("notify_by", [Account.Notify.WEBHOOK, Account.Notify.SNS])
def test_event_travels_from_the_marketplace_to_the_hit(sites: Sites, notify_by: str) -> None:
    credentials = make_requester(now=timezone.now())
    hit, theirs = launch(sites, credentials, account_of(sites, credentials, notify_by=notify_by))

    accepted = accept(theirs, now=timezone.now())
    kinds = arrive()
    before = is_due(hit)
    hand_in(theirs, now=timezone.now())
    arrive()

    assert (kinds, before, is_due(hit)) == (["AssignmentAccepted"], False, True)
    assert sorted(Event.objects.values_list("kind", flat=True)) == [
        "AssignmentAccepted",
        "AssignmentAccepted",
        "AssignmentSubmitted",
    ]
    assert event_inbox.find_acceptance(hit=hit, assignment_id=accepted.external_id) is not None


@pytest.mark.django_db(transaction=True)
def test_event_travels_by_a_topic_that_asks_first(sites: Sites) -> None:
    credentials = make_requester(now=timezone.now())
    sns = sns_of(sites, credentials)
    topic = make_topic(sns)
    account = account_of(sites, credentials, notify_by=Account.Notify.SNS, notify_address=topic)
    door = f"{sites.public}/api/events/{account.public_id}/sns/"

    sns.subscribe(TopicArn=topic, Protocol="http", Endpoint=door)
    deliver_events(now=timezone.now())
    confirmed = marketplace.Subscription.objects.get().confirmed_at is not None
    hit, theirs = launch(sites, credentials, account)
    hand_in(theirs, now=timezone.now())
    arrive()

    assert (confirmed, is_due(hit)) == (True, True)


@pytest.mark.django_db(transaction=True)
def test_event_travels_by_a_queue(sites: Sites, settings: LazySettings) -> None:
    settings.MARKETPLACE_SQS_ACCESS_KEY_ID = "QUEUEKEY"
    settings.MARKETPLACE_SQS_SECRET_ACCESS_KEY = "queue-secret"
    credentials = make_requester(now=timezone.now())
    with serving_queue() as queue:
        account = account_of(sites, credentials, notify_by=Account.Notify.SQS, notify_address=queue.url)
        hit, theirs = launch(sites, credentials, account)

        hand_in(theirs, now=timezone.now())
        arrive()

    assert (queue.bodies, is_due(hit)) == ({}, True)


@pytest.mark.django_db(transaction=True)
def test_event_of_a_stranger_on_the_same_marketplace_touches_nothing(sites: Sites) -> None:
    credentials = make_requester(now=timezone.now())
    account = account_of(sites, credentials, notify_by=Account.Notify.SNS)
    hit, _ = launch(sites, credentials, account)
    stranger = make_requester(now=timezone.now())
    other = client_of(sites, stranger)
    theirs = other.create_hit(**hit_input())["HIT"]
    other.update_notification_settings(
        HITTypeId=theirs["HITTypeId"],
        Notification={
            "Destination": f"{sites.public}/api/events/{account.public_id}/sns/",
            "Transport": "SNS",
            "Version": "2014-08-15",
            "EventTypes": ["AssignmentSubmitted"],
        },
        Active=True,
    )

    hand_in(marketplace.HIT.objects.get(external_id=theirs["HITId"]), now=timezone.now())
    kinds = arrive()

    assert (kinds, is_due(hit)) == (["AssignmentSubmitted"], False)
