"""Requesters and workers made for a test or a rehearsal."""

import secrets
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.conf import settings

from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models.parties import Requester, Worker
from crowd.marketplace.services import requesters, worker_sign_in
from crowd.marketplace.tools.control.control_actions import verb
from crowd.marketplace.tools.control.fields import Fields, Wrong

SANDBOX_DEPOSIT = Decimal(10_000)
MOST_WORK = 1_000_000


@verb("requester")
def make_requester(fields: Fields, now: datetime) -> dict[str, Any]:
    """Make a requester and return its credentials; by default with the fees and $10,000 of AWS's sandbox."""
    name = fields.text("name", default=f"requester-{secrets.token_hex(6)}", longest=128)
    deposit = fields.money("deposit", default=SANDBOX_DEPOSIT, most=Requester.MOST_MONEY)
    fees = fields.text("fees", default="amazon", longest=16)
    fields.finish()
    try:
        made = requesters.create_requester(name=name, deposit=deposit, fee_schedule=fees, now=now)
    except (RuleBroken, ValueError) as error:
        raise Wrong(str(error)) from error
    return {
        "requester": made.requester.external_id,
        "name": name,
        "endpoint": settings.MARKETPLACE_URL,
        "access_key_id": made.access_key_id,
        "secret_access_key": made.secret_access_key,
        "ticket_key": made.ticket_key,
    }


@verb("worker")
def make_worker(fields: Fields, now: datetime) -> dict[str, Any]:
    """Make a worker with the given history, and return the invitation link that lets the worker in."""
    values = _read_worker(fields)
    fields.finish()
    if values["approved"] + values["rejected"] > values["submitted"]:
        raise Wrong("approved and rejected together may not exceed submitted.")
    if not values["name"].isprintable():
        raise Wrong("name must be text without invisible characters.")
    with atomic():
        made, token = worker_sign_in.invite_worker(name=values["name"], now=now)
        Worker.objects.filter(pk=made.pk).update(**values)
    return {
        "worker": made.external_id,
        "name": values["name"],
        "invitation": f"{settings.MARKETPLACE_URL}/invitation/{token}/",
    }


def _read_worker(fields: Fields) -> dict[str, Any]:
    return {
        "name": fields.text("name", default="Simulated worker", longest=64),
        "country": fields.text("country", default="", longest=2),
        "subdivision": fields.text("subdivision", default="", longest=3),
        "is_adult": fields.flag("is_adult"),
        "is_master": fields.flag("is_master"),
        **{
            name: fields.whole(name, default=0, low=0, high=MOST_WORK)
            for name in ("submitted", "approved", "rejected")
        },
    }
