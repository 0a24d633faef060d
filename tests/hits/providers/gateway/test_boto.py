"""Parts that are boto3's own: the guard of the endpoint, and unknown outcomes."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from uuid import uuid4

import pytest

from hits.core.errors import ProviderRefused, ProviderUnavailable
from hits.providers.gateway.boto import BotoProvider, make_client
from hits.providers.gateway.interface import HITSpec
from hits.providers.gateway.responses import read_fields
from tests.stubbed import StubbedTurk


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://mturk-requester.us-east-1.amazonaws.com",
        "https://mturk-requester-sandbox.us-east-1.amazonaws.com",
        "https://amazonaws.com",
    ],
)
def test_make_client_refuses_amazon_unless_switched_on(endpoint: str) -> None:
    keys: dict[str, Any] = {"access_key_id": "k", "secret_access_key": "s"}

    with pytest.raises(ProviderRefused, match="CROWD_ALLOW_AMAZON"):
        make_client(endpoint=endpoint, allow_amazon=False, **keys)

    assert make_client(endpoint=endpoint, allow_amazon=True, **keys).meta.endpoint_url == endpoint


def test_make_client_lets_a_look_alike_pass() -> None:
    client = make_client(
        endpoint="https://notamazonaws.com", access_key_id="k", secret_access_key="s", allow_amazon=False
    )

    assert client.meta.endpoint_url == "https://notamazonaws.com"


def test_unreachable_endpoint_leaves_the_outcome_unknown() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{unused.getsockname()[1]}"
        client = make_client(endpoint=endpoint, access_key_id="k", secret_access_key="s", allow_amazon=False)

        with pytest.raises(ProviderUnavailable):
            BotoProvider(client).get_balance()


def test_server_fault_leaves_the_outcome_unknown() -> None:
    turk = StubbedTurk()
    turk.faults["get_account_balance"] = ["before"]

    with pytest.raises(ProviderUnavailable):
        turk.provider.get_balance()


@pytest.mark.parametrize(
    "xml",
    [
        "",
        "<not closed",
        '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        "<a/>",
    ],
)
def test_unreadable_answer_is_no_answer(xml: str) -> None:
    assert read_fields(xml) == {}


def test_make_client_refuses_an_endpoint_that_is_none() -> None:
    with pytest.raises(ProviderRefused) as refusal:
        make_client(endpoint="nonsense", access_key_id="k", secret_access_key="s", allow_amazon=False)

    assert refusal.value.code == "BadEndpoint"


@pytest.mark.parametrize("requirements", [[1], [{"x": 1}], ["text"]])
def test_terms_that_boto3_refuses_are_refused_and_not_unclear(requirements: Any) -> None:
    client = make_client(
        endpoint="http://127.0.0.1:9", access_key_id="k", secret_access_key="s", allow_amazon=False
    )
    spec = HITSpec(
        title="t",
        description="d",
        keywords="",
        reward=Decimal(0),
        question_url="https://example.org",
        max_assignments=1,
        duration_s=60,
        lifetime_s=60,
        auto_approval_s=60,
        annotation="",
        requirements=requirements,
    )

    with pytest.raises(ProviderRefused):
        BotoProvider(client).create_hit(spec, token=uuid4())


@contextmanager
def provider_that_answers(*statuses: int) -> Iterator[BotoProvider]:
    """Provider over loopback with one status after the other, as boto3 counts only requests that leave."""
    left = list(statuses)
    refusal = {"__type": "RequestError", "TurkErrorCode": "AWS.MechanicalTurk.AssignmentDoesNotExist"}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            body = json.dumps(refusal).encode()
            self.send_response(left.pop(0))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Write nothing to standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    endpoint = f"http://127.0.0.1:{server.server_port}"
    keys: dict[str, Any] = {"access_key_id": "k", "secret_access_key": "s"}
    try:
        yield BotoProvider(make_client(endpoint=endpoint, allow_amazon=False, **keys))
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(("statuses", "is_only_answer"), [([400], True), ([503, 400], False)])
def test_refusal_tells_whether_the_request_was_made_once(statuses: list[int], is_only_answer: bool) -> None:
    with provider_that_answers(*statuses) as provider, pytest.raises(ProviderRefused) as refusal:
        provider.send_bonus(
            assignment_external_id="A1",
            worker_external_id="W1",
            amount=Decimal("0.10"),
            reason="All right.",
            token=uuid4(),
        )

    assert (refusal.value.code, refusal.value.is_only_answer) == ("AssignmentDoesNotExist", is_only_answer)


def test_refusal_whose_attempts_nobody_counted_may_not_be_the_only_answer() -> None:
    turk = StubbedTurk()
    turk.faults["get_account_balance"] = ["refused"]

    with pytest.raises(ProviderRefused) as refusal:
        turk.provider.get_balance()

    assert not refusal.value.is_only_answer
