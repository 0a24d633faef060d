"""Every page of the admin takes a few queries, however much there is to show."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from hits.identity.services import staff_sessions
from tests.admin_pages import fill, pages
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
# One of them asks which families the navigation shows, another which the study uses.
MOST = 11
# The page of a study's project in one family has a card for each part of the work.
MOST_OF_PROJECT = 21
# Pages with a card or a table for each of many things or two banners, a list with five filters, and the page
# of a launch, which keeps the balance that it has asked for, and names the consent, tests and other batches.
MOST_OF = {
    "launch page": 14,
    # Once a minute, with the times and scores of its batch.
    "review": 14,
    "review of a batch": 14,
    "run: one": 11,
    "run, frozen": 11,
    "game: one": MOST_OF_PROJECT,
    "whoops project: one": 25,
    "plain project: one": 22,
    # The line of stages has what the cards of each family count; beside it stands whatever waits.
    "study: one": 25,
    "image: one": 12,
    "set up as in a paper": 19,
    "example: list": 19,
    "caption matching: results": 13,
    "weird images: designers": 13,
    "weird images: statistics": 25,
    # Everything that may wait for a person, what runs, what they were told, and submissions by day.
    "index": 26,  # one of them for studies that are past their last day
    # With charts of what was spent and of the accounts' balances, whether payments are stopped, and appeals.
    "payments": 16,
}


def count_queries(client: Client) -> dict[str, int]:
    counts = {}
    for name, address in pages():
        with CaptureQueriesContext(connection) as queries:
            status = client.get(address).status_code
        counts[name] = len(queries) if status in (200, 302) else -status
    return counts


def most_of(name: str) -> int:
    return MOST_OF.get(name, MOST_OF_PROJECT if name.endswith(" project: one") else MOST)


@pytest.fixture
def _just_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no page of a long test be the one that notes the session as seen."""
    monkeypatch.setattr(staff_sessions, "SEEN_EVERY_S", 86_400)


@pytest.mark.usefixtures("_just_seen")
def test_every_page_takes_few_queries_whatever_there_is_to_show(client: Client, turk: StubbedTurk) -> None:
    client.force_login(fill(hits=20, batches=2, now=timezone.now()))

    few = count_queries(client)
    fill(hits=60, batches=3, now=timezone.now())
    many = count_queries(client)

    assert {name: n for name, n in many.items() if not 0 < n <= most_of(name)} == {}
    # The first count can be higher by queries that Django makes once in the life of a process.
    assert {name: (few[name], n) for name, n in many.items() if n > few[name]} == {}
