"""Codes that change with time, as RFC 6238 describes them and authenticator programs show them."""

import hmac
import secrets
from base64 import b32decode, b32encode
from datetime import datetime
from urllib.parse import quote, urlencode

STEP_S = 30
DIGITS = 6
SECRET_BYTES = 20
# Clocks of telephones go a little wrong, and typing takes a while.
DRIFT = (0, -1, 1)


def make_secret() -> str:
    return b32encode(secrets.token_bytes(SECRET_BYTES)).decode()


def step_of(now: datetime) -> int:
    return int(now.timestamp()) // STEP_S


def code_at(secret: str, step: int) -> str:
    """Return the code of this step: HMAC with SHA-1, cut as RFC 4226 says."""
    digest = hmac.digest(b32decode(secret), step.to_bytes(8, "big"), "sha1")
    offset = digest[-1] & 15
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
    return str(number)[-DIGITS:].zfill(DIGITS)


def find_step(*, secret: str, code: str, now: datetime) -> int | None:
    """Return the step that has this code: the one of now, or one beside it. None if there is none."""
    given = code.encode(errors="replace")
    steps = [step_of(now) + drift for drift in DRIFT]
    return next((step for step in steps if hmac.compare_digest(code_at(secret, step).encode(), given)), None)


def setup_address(*, secret: str, name: str, issuer: str) -> str:
    """Return the address that authenticator programs read from a QR code."""
    label = quote(f"{issuer}:{name}")
    return f"otpauth://totp/{label}?{urlencode({'secret': secret, 'issuer': issuer}, quote_via=quote)}"
