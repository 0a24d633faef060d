"""Workers who open pages of caption matching over HTTP, as the frame shows them."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.core import signing
from django.test import Client
from django.utils import timezone

from crowd.winoground.domain import VALIDATE
from crowd.winoground.models import Project
from hits.work.models.hits import HIT
from tests.crowd.frame.test_question import SITE
from tests.crowd.winoground.making_asked import open_batch
from tests.factories import make_account, make_hit

# One for the whole run: a page that is opened again belongs to the acceptance that it was opened with.
FIRST_ACCEPTED = (timezone.now() - timedelta(minutes=10)).replace(second=0, microsecond=0)


def open_hit(project: Project, *, items: int = 10, task: str = VALIDATE, places: int = 3) -> HIT:
    account = make_account(worker_site=SITE, ticket_key="ticket-key")
    batch = open_batch(project, items=items, task=task, account=account)
    return make_hit(batch=batch, external_id="HIT1", max_assignments=places)


def visit(client: Client, hit: HIT, *, number: int = 1, attempt: int = 1) -> Any:
    """Open the page of an accepted HIT; `attempt` counts how often it was accepted."""
    accepted = FIRST_ACCEPTED + timedelta(minutes=attempt)
    claims = {
        "assignmentId": f"A{number}{hit.external_id}",
        "hitId": hit.external_id,
        "workerId": f"AWORKER{number}",
    }
    signed = {
        "assignment": claims["assignmentId"],
        "hit": claims["hitId"],
        "worker": claims["workerId"],
        "attempt": attempt,
        "accepted": accepted.timestamp(),
        "expires": (accepted + timedelta(days=1)).timestamp(),
    }
    ticket = signing.dumps(signed, key="ticket-key", salt="marketplace.ticket")
    query = {**claims, "ticket": ticket, "turkSubmitTo": f"{SITE}/submit/signed"}
    return client.get(f"/q/{hit.public_id}/?{urlencode(query)}")


def send(client: Client, page: Any, fields: Mapping[str, str]) -> Any:
    hit = page.context["hit"]
    return client.post(f"/q/{hit.public_id}/answer/", {"token": page.context["token"], **fields})


def told_by(page: Any) -> str:
    """Text of the page without what is signed again each time: the token, and the link to the own page."""
    text: str = page.content.decode().partition("<footer")[0]
    return text.replace(page.context["token"], "")


def fields_of(page: Any) -> list[str]:
    """Names of the page's questions, in the order of the page."""
    return [question["field"] for question in page.context["questions"]]
