"""A boto3 program that passes no endpoint, directed to the marketplace by one variable of the environment."""

import boto3
import pytest
from django.utils import timezone

from tests.conftest import Sites
from tests.factories import make_requester

pytestmark = pytest.mark.django_db(transaction=True)


def test_boto3_without_an_endpoint_is_led_here_by_the_environment(
    sites: Sites, monkeypatch: pytest.MonkeyPatch
) -> None:
    credentials = make_requester(now=timezone.now())
    monkeypatch.setenv("AWS_ENDPOINT_URL_MTURK", sites.marketplace)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", credentials.access_key_id)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", credentials.secret_access_key)

    client = boto3.session.Session(region_name="us-east-1").client("mturk")

    assert client.get_account_balance()["AvailableBalance"] == "100.00"
    client.close()
