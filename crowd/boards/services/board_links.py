"""Links of invitations: whoever has one submits models, without an account."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.urls import reverse

from crowd.boards.models import Board, Invitation
from hits.core import signed_links
from hits.core.errors import CrowdError
from hits.core.signed_links import UnknownLink

# What the tokens say and how they are signed.
SIGNED: dict[str, Any] = {"holder": "invitation", "salt": "crowd.boards.invitation"}


class LinkOver(CrowdError):
    """A link that is too old, or was replaced by a newer one."""


def write_token(invitation: Invitation) -> str:
    """Return the same token each time, until a new link is made."""
    return signed_links.write_token(invitation.public_id, link=invitation.link_number, **SIGNED)


def read_token(token: str, *, now: datetime) -> Invitation:
    """Return the invitation of a token. Raises UnknownLink or LinkOver."""
    holder = signed_links.read_token(token, **SIGNED)
    rows = Invitation.objects.select_related("board__release__study")
    invitation = rows.filter(public_id=holder.public_id).first()
    if invitation is None:
        raise UnknownLink("There is no such invitation.")
    if now >= invitation.link_until or holder.link != invitation.link_number:
        raise LinkOver("The link is over.")
    return invitation


def address_of(invitation: Invitation) -> str:
    """Return the full address to submit at, to copy and send."""
    return f"{settings.PUBLIC_URL}{reverse('boards:desk', args=[write_token(invitation)])}"


def address_of_board(board: Board) -> str:
    return f"{settings.PUBLIC_URL}{reverse('boards:page', args=[board.release.public_id])}"
