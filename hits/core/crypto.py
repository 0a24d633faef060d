"""Encryption of columns, the blind index that finds them, pseudonyms, and signed page tokens."""

import hmac
from base64 import b32encode
from collections.abc import Mapping
from typing import Any

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.core import signing

PAGE_SALT = "hits.page"


def seal(text: str) -> str:
    return _fernet().encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    return _fernet().decrypt(sealed.encode()).decode()


def blind_index(*parts: str) -> str:
    """Return a keyed digest that finds an encrypted value without telling what it is."""
    return _keyed("index", *parts).hex()


def pseudonym(*parts: str) -> str:
    """Return what people and exports see instead of a provider's worker id."""
    return "w-" + b32encode(_keyed("pseudonym", *parts))[:10].decode().lower()


def coin(*parts: str) -> bool:
    """Return heads or tails: always the same for the same parts, and known to nobody outside."""
    return bool(_keyed("coin", *parts)[0] & 1)


def sign_page(payload: Mapping[str, Any]) -> str:
    return signing.dumps(dict(payload), key=settings.TOKEN_KEYS[0], salt=PAGE_SALT)


def read_page(token: str) -> dict[str, Any]:
    """Return the token's payload. Raises django.core.signing.BadSignature."""
    payload: dict[str, Any] = signing.loads(
        token, key=settings.TOKEN_KEYS[0], fallback_keys=[*settings.TOKEN_KEYS[1:]], salt=PAGE_SALT
    )
    return payload


def read_ticket(ticket: str, *, key: str) -> dict[str, Any]:
    """Return the marketplace's claim on who works in this frame. Raises signing.BadSignature."""
    payload: dict[str, Any] = signing.loads(ticket, key=key, salt="marketplace.ticket")
    return payload


def read_inspection(signed: str, *, key: str) -> dict[str, Any]:
    """Return the marketplace's word on what its operator inspects. Raises signing.BadSignature."""
    payload: dict[str, Any] = signing.loads(signed, key=key, salt="marketplace.inspection")
    return payload


def _keyed(purpose: str, *parts: str) -> bytes:
    message = "\x1f".join((purpose, *parts)).encode()
    return hmac.digest(settings.PSEUDONYM_KEYS[0].encode(), message, "sha256")


def _fernet() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.FIELD_KEYS])
