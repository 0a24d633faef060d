import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.crowd.marketplace.prolific.prolific_calls import APPROVED_CODE, Client

pytestmark = pytest.mark.pure

SUBMISSIONS = "submission.status.change"


@dataclass
class Receiver:
    """A server of ours that keeps what it is sent, and answers with its status."""

    address: str
    status: int = 200
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    @classmethod
    @contextmanager
    def listening(cls) -> Iterator["Receiver"]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        receiver = cls(address=f"http://127.0.0.1:{server.server_port}/hook")
        server.receiver = receiver  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    @property
    def statuses(self) -> list[str]:
        return [json.loads(body)["status"] for _, body in self.received]

    @property
    def event_ids(self) -> list[str]:
        return [headers["X-Event-ID"] for headers, _ in self.received]


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        receiver = self.server.receiver  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        receiver.received.append((dict(self.headers.items()), body))
        self.send_response(receiver.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Stay silent."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver.listening() as receiver:
        yield receiver


def subscribe(client: Client, receiver: Receiver, event_type: str = SUBMISSIONS) -> tuple[str, str]:
    """A confirmed subscription, by its id, and the workspace's secret."""
    secret = client.post("/hooks/secrets/", workspace_id=client.workspace_id).body["value"]
    subscription_id = _create(client, target_url=receiver.address, event_type=event_type)
    return subscription_id, secret


def _create(client: Client, **body: Any) -> str:
    told = client.post("/hooks/subscriptions/", workspace_id=client.workspace_id, **body)
    subscription_id: str = told.body["id"]
    client.post(f"/hooks/subscriptions/{subscription_id}/", secret=told.headers["X-Hook-Secret"])
    return subscription_id


def test_event_types_are_those_of_the_reference(client: Client) -> None:
    told = client.get("/hooks/event-types/").body["results"]

    assert {one["event_type"] for one in told} == {
        SUBMISSIONS,
        "study.status.change",
        "study.progress.change",
        "study.has_high_return_rate",
    }


def test_new_secret_replaces_the_one_before(client: Client) -> None:
    first, second = (
        client.post("/hooks/secrets/", workspace_id=client.workspace_id).body["value"] for _ in range(2)
    )

    assert first != second
    assert [one["value"] for one in client.get("/hooks/secrets/").body["results"]] == [second]


def test_unconfirmed_subscription_is_sent_nothing(client: Client, receiver: Receiver) -> None:
    client.post("/hooks/secrets/", workspace_id=client.workspace_id)
    told = client.post(
        "/hooks/subscriptions/",
        workspace_id=client.workspace_id,
        event_type=SUBMISSIONS,
        target_url=receiver.address,
    )

    wrong = client.post(f"/hooks/subscriptions/{told.body['id']}/", secret="guessed")
    client.take_part(client.publish())

    client.stand_in.wait_for_hooks()
    assert (wrong.status, receiver.received) == (400, [])


@pytest.mark.parametrize(
    "target_url",
    ["http://study.example.com/hook", "ftp://localhost/", "hook", "http://localhost:port/", "https://"],
)
def test_address_that_is_neither_https_nor_loopback_is_refused(client: Client, target_url: str) -> None:
    client.post("/hooks/secrets/", workspace_id=client.workspace_id)

    told = client.post(
        "/hooks/subscriptions/",
        workspace_id=client.workspace_id,
        event_type=SUBMISSIONS,
        target_url=target_url,
    )

    assert (told.status, list(told.detail)) == (400, ["target_url"])


def test_event_is_signed_over_its_timestamp_and_raw_body(client: Client, receiver: Receiver) -> None:
    _, secret = subscribe(client, receiver)
    submission_id = client.take_part(client.publish())

    client.stand_in.wait_for_hooks()

    headers, body = receiver.received[-1]
    signed = headers["X-Prolific-Request-Timestamp"].encode() + body
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).digest()
    assert headers["X-Prolific-Request-Signature"] == base64.b64encode(digest).decode()
    assert json.loads(body) == {
        "event_type": SUBMISSIONS,
        "resource_id": submission_id,
        "participant_id": client.participant_of(submission_id),
        "status": "ACTIVE",
    }


def test_life_of_a_submission_is_told_in_order_with_ids_and_times_of_their_own(
    client: Client, receiver: Receiver
) -> None:
    subscribe(client, receiver)

    client.submit(client.publish(), code=APPROVED_CODE)

    client.stand_in.wait_for_hooks()
    assert receiver.statuses == ["RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED"]
    times = [headers["X-Timestamp"] for headers, _ in receiver.received]
    assert times == sorted(set(times))
    assert len(set(receiver.event_ids)) == 4


def test_studies_tell_their_status_and_progress(client: Client, receiver: Receiver) -> None:
    subscribe(client, receiver, "study.status.change")
    _create(client, target_url=receiver.address, event_type="study.progress.change")

    client.take_part(client.publish(total_available_places=1))

    client.stand_in.wait_for_hooks()
    told = [json.loads(body) for _, body in receiver.received]
    assert [one.get("status", one.get("places_taken")) for one in told] == [
        "PUBLISHING",
        "ACTIVE",
        1,
        "AWAITING REVIEW",
    ]


def test_many_returns_are_told_once(client: Client, receiver: Receiver) -> None:
    subscribe(client, receiver, "study.has_high_return_rate")
    study_id = client.publish(total_available_places=20)

    for _ in range(12):
        client.stand_in.controls.return_place(client.take_part(study_id))

    client.stand_in.wait_for_hooks()
    assert [json.loads(body)["resource_id"] for _, body in receiver.received] == [study_id]


def test_event_may_come_again_with_the_same_id(client: Client, receiver: Receiver) -> None:
    subscribe(client, receiver)
    client.control("hooks", repeats=1)
    controls = client.stand_in.controls

    controls.reserve(client.publish(), controls.add_participant())

    client.stand_in.wait_for_hooks()
    assert receiver.statuses == ["RESERVED", "RESERVED"]
    assert len(set(receiver.event_ids)) == 1


def test_events_may_come_in_another_order(client: Client, receiver: Receiver) -> None:
    subscribe(client, receiver)
    client.control("hooks", holds=True)
    client.submit(client.publish())

    client.control("hooks", release=True, backward=True)

    client.stand_in.wait_for_hooks()
    assert receiver.statuses == ["AWAITING REVIEW", "ACTIVE", "RESERVED"]


def test_event_may_be_lost_and_stands_in_the_log(client: Client, receiver: Receiver) -> None:
    subscription_id, _ = subscribe(client, receiver)
    client.control("hooks", lose=1)

    client.take_part(client.publish())

    client.stand_in.wait_for_hooks()
    assert receiver.statuses == ["ACTIVE"]
    log = client.get(f"/hooks/subscriptions/{subscription_id}/events/").body["results"]
    assert [one["status"] for one in log] == ["LOST", "SUCCEEDED"]


def test_failing_receiver_is_tried_eleven_times_more(client: Client, receiver: Receiver) -> None:
    subscribe(client, receiver)
    receiver.status = 500
    controls = client.stand_in.controls
    controls.reserve(client.publish(), controls.add_participant())

    for _ in range(60):
        client.stand_in.wait_for_hooks()
        controls.advance(hours=1)

    first = [event_id for event_id in receiver.event_ids if event_id == receiver.event_ids[0]]
    assert len(first) == 12


def test_receiver_that_recovers_is_told_what_it_missed(client: Client, receiver: Receiver) -> None:
    subscribe(client, receiver)
    receiver.status = 503
    client.take_part(client.publish())
    client.stand_in.wait_for_hooks()
    receiver.status = 200
    receiver.received.clear()

    client.stand_in.controls.advance(minutes=1)

    client.stand_in.wait_for_hooks()
    assert receiver.statuses == ["RESERVED", "ACTIVE"]


def test_subscription_that_fails_for_five_days_is_disabled(client: Client, receiver: Receiver) -> None:
    subscription_id, _ = subscribe(client, receiver)
    receiver.status = 500
    study_id = client.publish(total_available_places=20)

    for _ in range(7):
        client.take_part(study_id)
        client.stand_in.wait_for_hooks()
        client.stand_in.controls.advance(days=1)

    client.stand_in.wait_for_hooks()
    assert client.get(f"/hooks/subscriptions/{subscription_id}/").body["is_enabled"] is False
    assert client.patch(f"/hooks/subscriptions/{subscription_id}/", is_enabled=True).body["is_enabled"]


def test_event_type_without_a_secret_of_the_workspace_is_refused(client: Client) -> None:
    told = client.post(
        "/hooks/subscriptions/",
        workspace_id=client.workspace_id,
        event_type=SUBMISSIONS,
        target_url="https://study.example.com/hook",
    )

    assert told.status == 400
    assert client.stand_in.world.hooks.subscriptions == {}


def test_subscription_may_be_sent_elsewhere(client: Client, receiver: Receiver) -> None:
    subscription_id, _ = subscribe(client, receiver)
    with Receiver.listening() as other:
        client.patch(f"/hooks/subscriptions/{subscription_id}/", target_url=other.address)

        client.take_part(client.publish())

        client.stand_in.wait_for_hooks()
        assert (receiver.statuses, other.statuses) == ([], ["RESERVED", "ACTIVE"])


def test_address_elsewhere_is_never_called(client: Client) -> None:
    client.post("/hooks/secrets/", workspace_id=client.workspace_id)
    subscription_id = _create(client, target_url="https://study.example.com/hook", event_type=SUBMISSIONS)

    client.take_part(client.publish())

    client.stand_in.wait_for_hooks()
    log = client.get(f"/hooks/subscriptions/{subscription_id}/events/").body["results"]
    assert [one["status"] for one in log] == ["FAILED", "FAILED"]


def test_deleted_subscription_is_sent_nothing(client: Client, receiver: Receiver) -> None:
    subscription_id, _ = subscribe(client, receiver)

    client.delete(f"/hooks/subscriptions/{subscription_id}/")
    client.take_part(client.publish())

    client.stand_in.wait_for_hooks()
    assert receiver.received == []
    assert client.get("/hooks/subscriptions/", workspace_id=client.workspace_id).body["results"] == []
