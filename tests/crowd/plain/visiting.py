"""Workers who open the page over HTTP, as the frame shows it."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.core import signing
from django.test import Client
from django.utils import timezone

from crowd.plain.models import Project
from hits.work.models.hits import HIT
from tests.crowd.frame.test_question import SITE
from tests.crowd.plain.making import open_batch
from tests.factories import make_account, make_hit

# One for the whole run: a page that is opened again belongs to the acceptance that it was opened with.
ACCEPTED = (timezone.now() - timedelta(minutes=9)).replace(second=0, microsecond=0)


def open_hit(project: Project, *, items: int = 1, places: int = 3) -> HIT:
    account = make_account(worker_site=SITE, ticket_key="ticket-key")
    batch = open_batch(project, items=items, account=account)
    return make_hit(batch=batch, external_id="HIT1", max_assignments=places)


def visit(client: Client, hit: HIT, *, number: int = 1) -> Any:
    """Open the page of an accepted HIT with a signed ticket."""
    claims = {
        "assignmentId": f"A{number}{hit.external_id}",
        "hitId": hit.external_id,
        "workerId": f"AWORKER{number}",
    }
    signed = {
        "assignment": claims["assignmentId"],
        "hit": claims["hitId"],
        "worker": claims["workerId"],
        "attempt": 1,
        "accepted": ACCEPTED.timestamp(),
        "expires": (ACCEPTED + timedelta(days=1)).timestamp(),
    }
    ticket = signing.dumps(signed, key="ticket-key", salt="marketplace.ticket")
    query = {**claims, "ticket": ticket, "turkSubmitTo": f"{SITE}/submit/signed"}
    return client.get(f"/q/{hit.public_id}/?{urlencode(query)}")


def send(client: Client, page: Any, fields: Mapping[str, str | Sequence[str]]) -> Any:
    hit = page.context["hit"]
    return client.post(f"/q/{hit.public_id}/answer/", {"token": page.context["token"], **fields})


def fields_of(page: Any) -> list[str]:
    """Names of the page's questions, in the order of the page."""
    return [question["field"] for question in page.context["questions"]]
