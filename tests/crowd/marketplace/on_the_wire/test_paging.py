"""Listings as other people's programs read them: each of their loops sees every row once, and ends."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.utils import timezone

from crowd.marketplace.database import atomic
from crowd.marketplace.models import HIT
from crowd.marketplace.services.qualifying.system_qualifications import SYSTEM_TYPES
from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.crowd.marketplace.api import Refusal, client_of, refused
from tests.crowd.marketplace.rows import post_hit
from tests.factories import make_requester

pytestmark = pytest.mark.django_db(transaction=True)

PARAMETER = Refusal(kind="ParameterValidationError")
MOST_PAGES = 9
Loop = Callable[[Callable[..., Any]], Iterator[Any]]


@pytest.fixture
def client(sites: Sites, credentials: Credentials) -> Any:
    return client_of(sites, credentials)


def until_empty_by_number(ask: Callable[..., Any]) -> Iterator[Any]:
    page = ask()
    while page["NumResults"] > 0:
        yield page
        page = ask(NextToken=page["NextToken"])


def until_no_rows(ask: Callable[..., Any]) -> Iterator[Any]:
    page = ask()
    while page["HITs"]:
        yield page
        page = ask(NextToken=page["NextToken"])


def while_there_is_a_token(ask: Callable[..., Any]) -> Iterator[Any]:
    page = ask()
    yield page
    while "NextToken" in page:
        page = ask(NextToken=page["NextToken"])
        yield page


def until_the_token_is_none(ask: Callable[..., Any]) -> Iterator[Any]:
    token: str | None = None
    while True:
        page = ask(NextToken=token) if token else ask()
        yield page
        token = page.get("NextToken")
        if token is None:
            return


def until_a_key_error(ask: Callable[..., Any]) -> Iterator[Any]:
    page = ask()
    while True:
        yield page
        try:
            page = ask(NextToken=page["NextToken"])
        except KeyError:
            return


def rows_first_then_the_token(ask: Callable[..., Any]) -> Iterator[Any]:
    page = ask()
    token = page["NextToken"]
    while page["NumResults"]:
        yield page
        page = ask(NextToken=token)
        token = page.get("NextToken", token)


def only_full_pages_go_on(ask: Callable[..., Any]) -> Iterator[Any]:
    page = ask()
    yield page
    while page["NumResults"] == 10:
        page = ask(NextToken=page["NextToken"])
        yield page


LOOPS: list[Loop] = [
    until_empty_by_number,
    until_no_rows,
    while_there_is_a_token,
    until_the_token_is_none,
    until_a_key_error,
    rows_first_then_the_token,
    only_full_pages_go_on,
]


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.__name__)
@pytest.mark.parametrize("count", [1, 20, 25])
def test_every_common_loop_sees_each_row_once_and_ends(
    loop: Loop, count: int, client: Any, credentials: Credentials
) -> None:
    with atomic():
        made = [post_hit(requester=credentials.requester, now=timezone.now()) for _ in range(count)]
    asked = 0

    def ask(**parameters: Any) -> Any:
        nonlocal asked
        asked += 1
        assert asked < MOST_PAGES, "the loop does not end"
        return client.list_hits(**parameters)

    seen = [hit["HITId"] for page in loop(ask) for hit in page["HITs"]]

    assert seen == [hit.external_id for hit in reversed(made)]


@pytest.mark.parametrize("operation", ["list_hits", "list_reviewable_hits"])
def test_hits_are_listed_from_the_newest_on(operation: str, client: Any, credentials: Credentials) -> None:
    with atomic():
        made = [post_hit(requester=credentials.requester, now=timezone.now()) for _ in range(3)]
    HIT.objects.update(closed_at=timezone.now())

    assert getattr(client, operation)()["HITs"][0]["HITId"] == made[-1].external_id


def test_qualification_types_after_the_marketplaces_own_are_listed_once(client: Any) -> None:
    for number in range(4):
        client.create_qualification_type(
            Name=f"Test {number}", Description="A test.", QualificationTypeStatus="Active"
        )
    ids: list[str] = []
    wanted = {"MustBeRequestable": False, "MaxResults": 2}
    page = client.list_qualification_types(**wanted)
    while page["NumResults"]:
        ids += [one["QualificationTypeId"] for one in page["QualificationTypes"]]
        page = client.list_qualification_types(**wanted, NextToken=page["NextToken"])

    assert len(ids) == len(set(ids)) == len(SYSTEM_TYPES) + 4


def test_a_token_is_good_for_its_own_listing_alone(
    sites: Sites, client: Any, credentials: Credentials
) -> None:
    with atomic():
        made = [post_hit(requester=credentials.requester, now=timezone.now()) for _ in range(2)]
    token = client.list_hits(MaxResults=1)["NextToken"]
    other = client_of(sites, make_requester(now=timezone.now()))
    types = made[0].hit_type.external_id
    of_type = {"HITTypeId": types}

    assert refused(other.list_hits, NextToken=token) == PARAMETER
    assert refused(client.list_reviewable_hits, NextToken=token) == PARAMETER
    assert client.list_hits(MaxResults=100, NextToken=token)["NumResults"] == 1
    HIT.objects.update(closed_at=timezone.now())
    token = client.list_reviewable_hits(MaxResults=1)["NextToken"]
    assert refused(client.list_reviewable_hits, NextToken=token, **of_type) == PARAMETER
    assert client.list_reviewable_hits(NextToken=token)["NumResults"] == 1
