from typing import Any

import pytest
from django.utils import timezone

from crowd.marketplace.services.requesters import Credentials
from hits.common import rates
from tests.conftest import Sites
from tests.crowd.marketplace.caller import Caller, caller_with
from tests.crowd.marketplace.desk import Desk, open_desk
from tests.crowd.marketplace.site import Browser, signed_in
from tests.crowd.marketplace.topics import sns_of
from tests.factories import make_requester


@pytest.fixture
def browser() -> Browser:
    """The browser of a worker who is signed in."""
    return signed_in()


@pytest.fixture
def credentials() -> Credentials:
    """Credentials of a new requester."""
    return make_requester(now=timezone.now())


@pytest.fixture
def sns(sites: Sites, credentials: Credentials) -> Any:
    """The requester's boto3 client of SNS."""
    return sns_of(sites, credentials)


@pytest.fixture
def caller(sites: Sites) -> Caller:
    """A new requester who calls the API over HTTP."""
    return caller_with(sites, make_requester(now=timezone.now()))


@pytest.fixture
def desk() -> Desk:
    """The browser of an operator who is signed in."""
    return open_desk()


@pytest.fixture
def one_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """The window of rate limits never ends while a test counts to its limit."""
    monkeypatch.setattr(rates, "time", lambda: 1000.0)
