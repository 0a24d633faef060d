"""Real work is shown to those who run the marketplace, and to nobody else; nothing is written for it."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone

from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.leases import Lease
from tests.crowd.frame.test_question import CLAIMS, hit, right, send, ticket, token_of, visit
from tests.pages import text_of

__all__ = ["hit"]
pytestmark = pytest.mark.django_db
NOBODY = {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "workerId": "", "ticket": ""}


def inspection(*, key: str = "ticket-key", salt: str = "marketplace.inspection", **changes: Any) -> str:
    expires = timezone.now() + timedelta(minutes=10)
    payload = {"hit": "HIT1", "assignment": "", "worker": "", "expires": expires.timestamp()}
    return signing.dumps({**payload, **changes}, key=key, salt=salt)


def seen(client: Client, hit: HIT, signed: str) -> Any:
    return client.get(f"/q/{hit.public_id}/?{urlencode({**CLAIMS, **NOBODY, 'inspection': signed})}")


def test_inspection_of_a_hit_shows_what_the_next_worker_is_asked(client: Client, hit: HIT) -> None:
    page = seen(client, hit, inspection())

    assert "cold" in text_of(page)
    assert "practice example" not in text_of(page)
    assert (Worker.objects.count(), Assignment.objects.count(), Lease.objects.count()) == (0, 0, 0)
    assert HIT.objects.count() == 1


def test_nothing_can_be_sent_from_an_inspection(client: Client, hit: HIT) -> None:
    page = seen(client, hit, inspection())

    assert send(client, hit, token_of(page), right()).status_code == 400
    assert not Assignment.objects.exists()


def test_inspection_of_submitted_work_shows_what_was_picked(client: Client, hit: HIT) -> None:
    send(client, hit, token_of(visit(client, hit)), right())

    page = seen(client, hit, inspection(assignment="A1", worker="AWORKER"))

    assert text_of(page).count("✓ picked, belongs to the word") == 2
    assert 'name="token"' not in page.content.decode()


def test_inspection_of_work_that_goes_on_shows_its_own_page(client: Client, hit: HIT) -> None:
    visit(client, hit)

    page = seen(client, hit, inspection(assignment="A1", worker="AWORKER"))

    assert "cold" in text_of(page)
    assert page.context["token"] == ""


def test_work_of_a_hit_that_is_over_is_shown(client: Client, hit: HIT) -> None:
    send(client, hit, token_of(visit(client, hit)), right())
    HIT.objects.update(status="closed")

    assert "cold" in text_of(seen(client, hit, inspection(assignment="A1", worker="AWORKER")))


@pytest.mark.parametrize(
    ("signed", "words"),
    [
        (lambda: inspection(key="another"), "no valid word"),
        (lambda: inspection(salt="marketplace.ticket"), "no valid word"),
        (ticket, "no valid word"),
        (lambda: "nonsense", "no valid word"),
        (lambda: inspection(hit="HIT2"), "other work"),
        (
            lambda: inspection(expires=(timezone.now() - timedelta(seconds=1)).timestamp()),
            "inspection has ended",
        ),
        (lambda: inspection(assignment="A1", worker="AWORKER"), "never opened"),
    ],
)
def test_inspection_that_was_not_signed_for_this_is_refused(
    client: Client, hit: HIT, signed: Any, words: str
) -> None:
    page = seen(client, hit, signed())

    assert page.status_code >= 400
    assert words in text_of(page)
    assert "cold" not in text_of(page)


def test_work_of_another_worker_with_the_same_id_is_not_shown(client: Client, hit: HIT) -> None:
    visit(client, hit)

    assert "never opened" in text_of(seen(client, hit, inspection(assignment="A1", worker="ANOTHER")))


def test_account_without_a_key_for_tickets_has_no_inspections(client: Client, hit: HIT) -> None:
    hit.batch.account.ticket_key = ""
    hit.batch.account.save()

    page = seen(client, hit, inspection(key=""))

    assert "shares no key" in text_of(page)


def test_inspection_opens_no_work(client: Client, hit: HIT) -> None:
    assert visit(client, hit, ticket=inspection()).status_code == 403
    assert not Assignment.objects.exists()
