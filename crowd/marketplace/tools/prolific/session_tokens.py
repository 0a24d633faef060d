"""The signed token that secure addresses carry, by which a study knows that a session was not forged."""

import base64
import json
from datetime import datetime
from functools import cache

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256

from crowd.marketplace.tools.prolific.state.entities import Json

VALID_S = 120
KEY_ID = "stand-in"


def session_token(submission_id: str, *, issuer: str, now: datetime) -> str:
    """A JWT of RS256 whose subject is the session, for two minutes."""
    issued = int(now.timestamp())
    head = _encoded_json({"alg": "RS256", "typ": "JWT", "kid": KEY_ID})
    claims = _encoded_json({"iss": issuer, "sub": submission_id, "iat": issued, "exp": issued + VALID_S})
    signature = _key().sign(f"{head}.{claims}".encode(), PKCS1v15(), SHA256())
    return f"{head}.{claims}.{_encoded(signature)}"


def public_keys() -> Json:
    numbers = _key().public_key().public_numbers()
    key = {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": KEY_ID}
    return {"keys": [{**key, "n": _encoded_number(numbers.n), "e": _encoded_number(numbers.e)}]}


@cache
def _key() -> RSAPrivateKey:
    """Each process has a key of its own, made when it is first needed."""
    return generate_private_key(public_exponent=65537, key_size=2048)


def _encoded_json(document: Json) -> str:
    return _encoded(json.dumps(document).encode())


def _encoded_number(number: int) -> str:
    return _encoded(number.to_bytes((number.bit_length() + 7) // 8))


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
