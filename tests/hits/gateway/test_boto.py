"""What is boto3's own: the guard of the endpoint, and outcomes that nobody knows."""

import socket
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest

from hits.errors import ProviderRefused, ProviderUnavailable
from hits.gateway import HITSpec
from hits.gateway.boto import BotoProvider, _read_answers, make_client
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
    keys = {"access_key_id": "k", "secret_access_key": "s"}

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
    assert _read_answers(xml) == {}


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
