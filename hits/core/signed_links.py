"""Links whose signed token is the only authority: it says whose the link is, and which one of theirs."""

from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.core import signing

from hits.core.errors import CrowdError, RuleBroken

DAYS = 30
MOST_DAYS = 365


class UnknownLink(CrowdError):
    """A token that was not signed by us, or whose holder does not exist."""


class Holder(NamedTuple):
    """The holder that a token names, and the number of the link."""

    public_id: UUID
    link: int


def write_token(public_id: UUID, *, link: int, holder: str, salt: str) -> str:
    """Return the same token each time. `holder` is the word for what the id is of."""
    return _signer(salt).sign_object({holder: str(public_id), "link": link})


def read_token(token: str, *, holder: str, salt: str) -> Holder:
    """Raises UnknownLink."""
    try:
        payload = _signer(salt).unsign_object(token)
        return Holder(UUID(payload[holder]), int(payload["link"]))
    except (signing.BadSignature, KeyError, TypeError, ValueError):
        raise UnknownLink("The link was not signed by us.") from None


def link_end(*, days: int, now: datetime) -> datetime:
    """Return until when a link made now is valid. Raises RuleBroken for too few or too many days."""
    if not 1 <= days <= MOST_DAYS:
        raise RuleBroken("bad_days", f"A link is valid for 1 to {MOST_DAYS} days.")
    return now + timedelta(days=days)


def _signer(salt: str) -> signing.Signer:
    others: list[str | bytes] = [*settings.TOKEN_KEYS[1:]]
    return signing.Signer(key=settings.TOKEN_KEYS[0], fallback_keys=others, salt=salt)
