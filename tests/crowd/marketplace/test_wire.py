"""The API as boto3 sees it, over real HTTP."""

from decimal import Decimal
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from django.utils import timezone

from tests.conftest import Sites
from tests.factories import make_requester

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def client(sites: Sites) -> Any:
    return client_of(sites, deposit=Decimal(100))


def client_of(sites: Sites, *, deposit: Decimal) -> Any:
    credentials = make_requester(deposit=deposit, now=timezone.now())
    return boto3.session.Session().client(
        "mturk",
        region_name="us-east-1",
        endpoint_url=sites.marketplace,
        aws_access_key_id=credentials.access_key_id,
        aws_secret_access_key=credentials.secret_access_key,
    )


def test_balance_is_the_deposit(client: Any) -> None:
    assert client.get_account_balance()["AvailableBalance"] == "100.00"


def test_unknown_hit_does_not_exist(client: Any) -> None:
    with pytest.raises(ClientError) as refusal:
        client.get_hit(HITId="NOSUCHHIT")

    assert refusal.value.response["TurkErrorCode"] == "AWS.MechanicalTurk.HITDoesNotExist"
    assert refusal.value.response["Error"]["Code"] == "RequestError"
