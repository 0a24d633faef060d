"""Links whose signed token is the only authority: it says whose the link is, and which one of theirs."""

from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.core import signing

from hits.core.errors import CrowdError


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


def _signer(salt: str) -> signing.Signer:
    others: list[str | bytes] = [*settings.TOKEN_KEYS[1:]]
    return signing.Signer(key=settings.TOKEN_KEYS[0], fallback_keys=others, salt=salt)
