"""Secrets at rest, signed values on the wire, and digests of bearer tokens: keys of the marketplace's own."""

import hashlib
import secrets
from collections.abc import Mapping

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
    """The frame's proof of who works: signed for the requester alone, with a key they share with us."""
    return signing.dumps(payload, key=key, salt="marketplace.ticket", compress=False)


def sign_submit(payload: Mapping[str, object]) -> str:
    return signing.dumps(payload, key=settings.MARKETPLACE_KEYS[0], salt="marketplace.submit")


def read_submit(signed: str) -> dict[str, object]:
    """Good until the assignment's deadline, which its row knows. Raises django.core.signing.BadSignature."""
    payload: dict[str, object] = signing.loads(
        signed,
        key=settings.MARKETPLACE_KEYS[0],
        fallback_keys=[*settings.MARKETPLACE_KEYS[1:]],
        salt="marketplace.submit",
    )
    return payload
