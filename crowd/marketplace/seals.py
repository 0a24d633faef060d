"""Secrets at rest, signed values on the wire, and digests of bearer tokens: keys of the marketplace's own."""

import hashlib
import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.core import signing


def seal(secret: str) -> str:
    return _fernet().encrypt(secret.encode()).decode()


def unseal(sealed: str) -> str:
    return _fernet().decrypt(sealed.encode()).decode()


def _fernet() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.MARKETPLACE_KEYS])


def new_bearer() -> tuple[str, str]:
    """A random token for the person, and the digest that is all we keep of it."""
    token = secrets.token_urlsafe(24)
    return token, digest(token)


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def sign_ticket(payload: Mapping[str, object], *, key: str) -> str:
    """Sign the frame's proof of who works, for the requester alone, with a key shared with the requester."""
    return signing.dumps(payload, key=key, salt="marketplace.ticket", compress=False)


def sign_inspection(payload: Mapping[str, object], *, key: str) -> str:
    """Sign that those who run the marketplace inspect a HIT, for its requester. It is no ticket for work."""
    return signing.dumps(payload, key=key, salt="marketplace.inspection", compress=False)


def sign_submit(payload: Mapping[str, object]) -> str:
    return _sign(payload, purpose="submit")


def read_submit(signed: str) -> dict[str, object]:
    """Verify a submit address, good until the deadline in its assignment's row. Raises BadSignature."""
    payload: dict[str, object] = _read(signed, purpose="submit")
    return payload


def sign_content(payload: Mapping[str, object]) -> str:
    """Sign what the content host may show. It has no sessions, so the address is the permission."""
    return _sign(payload, purpose="content")


def read_content(signed: str) -> dict[str, object]:
    """Verify a content address. Raises BadSignature."""
    payload: dict[str, object] = _read(signed, purpose="content")
    return payload


def sign_place(place: int, *, of: str) -> str:
    """Sign where a listing continues; a place in one kind of listing is none in another."""
    return _signer(f"page.{of}").sign_object(place)


def read_place(signed: str, *, of: str) -> int:
    """Verify a listing's place. Raises BadSignature."""
    return int(_signer(f"page.{of}").unsign_object(signed))


def _signer(purpose: str) -> signing.Signer:
    """A signer that leaves out the time: equal lists are equal answers, with equal tokens."""
    first, *earlier = settings.MARKETPLACE_KEYS
    return signing.Signer(key=first, fallback_keys=[*earlier], salt=f"marketplace.{purpose}")


def sign_link(payload: Mapping[str, object], *, purpose: str, until: datetime) -> str:
    """Sign what whoever has a link may do, until an instant of the marketplace's clock."""
    return _sign({**payload, "until": until.timestamp()}, purpose=f"link.{purpose}")


def read_link(signed: str, *, purpose: str, now: datetime) -> dict[str, Any]:
    """Verify a link. Raises BadSignature, also once its time is over."""
    payload: dict[str, Any] = _read(signed, purpose=f"link.{purpose}")
    if payload["until"] <= now.timestamp():
        raise signing.SignatureExpired("The time of this link is over.")
    return payload


def _sign(value: object, *, purpose: str) -> str:
    return signing.dumps(value, key=settings.MARKETPLACE_KEYS[0], salt=f"marketplace.{purpose}")


def _read(signed: str, *, purpose: str) -> Any:
    """Verify with any of our keys, so that keys can be changed."""
    first, *earlier = settings.MARKETPLACE_KEYS
    return signing.loads(signed, key=first, fallback_keys=[*earlier], salt=f"marketplace.{purpose}")
