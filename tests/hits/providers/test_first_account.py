"""The first account comes from the environment, or from our own marketplace on the same installation."""

import pytest
from django.conf import LazySettings

from hits.providers.services.accounts import seed_first_account

pytestmark = pytest.mark.django_db
VALUES = {
    "name": "first",
    "environment": "sandbox",
    "endpoint": "http://localhost:8000",
    "worker_site": "",
    "access_key_id": "key",
    "secret_access_key": "secret",
}


@pytest.mark.parametrize(("allowed", "rate"), [(250, 200), (50, 40), (1, 1), (10_000, 200), (0, 200)])
def test_account_at_our_own_marketplace_calls_as_often_as_a_key_may(
    settings: LazySettings, allowed: int, rate: int
) -> None:
    settings.MARKETPLACE_URL = "http://LOCALHOST:8000"
    settings.MARKETPLACE_KEY_RATE = allowed

    account = seed_first_account(values=VALUES)

    assert account
    assert account.send_rate == rate


def test_account_elsewhere_calls_as_seldom_as_is_safe() -> None:
    account = seed_first_account(values={**VALUES, "endpoint": "https://mturk.example.org"})

    assert account
    assert account.send_rate == 20
