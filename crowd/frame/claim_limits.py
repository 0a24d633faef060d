"""Limit on how often one address may claim to work on one HIT, where no ticket signs the claim."""

from django.http import HttpRequest
from django.utils.translation import gettext as _

from crowd.frame.visit_problems import Hasty
from hits.common import rates
from hits.common.client_address import address_of
from hits.work.models.hits import HIT

WINDOW_S = 60
# A room full of workers behind one address, each with a page that asks again by itself.
MOST_VISITS = 240


def refuse_haste(request: HttpRequest, hit: HIT) -> None:
    """Raise Hasty if an address claims too often. A signed ticket is proof enough, and is never counted."""
    account = hit.batch.account
    if account.ticket_key and not account.can.verifies_visits:
        return
    claim = f"{address_of(request)} {hit.public_id}"
    if not rates.spend("visit", claim, most=MOST_VISITS, window_s=WINDOW_S):
        raise Hasty(
            _("This page was opened very often just now. Nothing is lost: open it again in a minute."),
            wait_s=WINDOW_S,
        )
