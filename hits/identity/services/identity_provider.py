"""The identity provider that the settings name: its addresses, its keys, and what it says of a sign-in."""

import json
from base64 import b64encode
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from django.conf import settings

from hits.common.outgoing.outgoing_addresses import is_on_loopback
from hits.core.errors import CrowdError

if TYPE_CHECKING:
    from jwt import PyJWK

TIMEOUT_S = 5.0
LARGEST_ANSWER = 262_144
# Signatures by the provider's own keys alone: no "none", and nothing that a shared secret could make.
ALGORITHMS = ("RS256", "PS256", "ES256")
CLOCK_SKEW_S = 60
REQUIRED = ["iss", "sub", "aud", "exp", "iat"]


class NotBelieved(CrowdError):
    """An answer of the provider, or of somebody in its place, that signs nobody in."""


@dataclass(frozen=True, kw_only=True)
class Provider:
    """What the provider's own description says of it."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """What the provider gives for a code: its signed word, and a key to what else it knows of the person."""

    id_token: str
    access_token: str


def is_set() -> bool:
    return bool(settings.OIDC_ISSUER)


def discover() -> Provider:
    """Read the provider's description. Raises NotBelieved if it is another's."""
    told = _ask(f"{settings.OIDC_ISSUER.rstrip('/')}/.well-known/openid-configuration")
    if told.get("issuer") != settings.OIDC_ISSUER:
        raise NotBelieved(
            f"The identity provider calls itself {told.get('issuer')!r}, not as it is set here."
        )
    names = Provider.__dataclass_fields__
    provider = Provider(**{name: str(told.get(name, "")) for name in names})
    if not (provider.authorization_endpoint and provider.token_endpoint and provider.jwks_uri):
        raise NotBelieved("The identity provider’s description lacks an address.")
    return provider


def authorization_address(provider: Provider, **asked: str) -> str:
    sign = "&" if urlsplit(provider.authorization_endpoint).query else "?"
    return f"{provider.authorization_endpoint}{sign}{urlencode(asked)}"


def exchange_code(provider: Provider, *, code: str, verifier: str, redirect_uri: str) -> Tokens:
    """Exchange a code, for which the provider answers once."""
    sent = {
        "grant_type": "authorization_code",
        "code": code,
        "code_verifier": verifier,
        "redirect_uri": redirect_uri,
    }
    told = _ask(provider.token_endpoint, sent=sent)
    if not isinstance(told.get("id_token"), str):
        raise NotBelieved("The identity provider gave no identity.")
    return Tokens(id_token=told["id_token"], access_token=str(told.get("access_token", "")))


def read_person(provider: Provider, tokens: Tokens, claims: Mapping[str, Any]) -> dict[str, Any]:
    """Return the claims with the e-mail address, which some providers tell only when they are asked again."""
    if "email" in claims or not (provider.userinfo_endpoint and tokens.access_token):
        return dict(claims)
    told = _ask(provider.userinfo_endpoint, bearer=tokens.access_token)
    if told.get("sub") != claims["sub"]:
        raise NotBelieved("The identity provider told of somebody else.")
    return {**claims, **{name: told[name] for name in ("email", "email_verified") if name in told}}


def read_id_token(provider: Provider, token: str, *, nonce: str) -> dict[str, Any]:
    """Return what the provider says of a person. Raises NotBelieved unless it says it now, and to us."""
    import jwt  # noqa: PLC0415 - slow to load, and most never sign in this way

    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            _key_of(provider, token),
            algorithms=list(ALGORITHMS),
            audience=settings.OIDC_CLIENT_ID,
            issuer=settings.OIDC_ISSUER,
            leeway=CLOCK_SKEW_S,
            options={"require": REQUIRED},
        )
    except jwt.PyJWTError as problem:
        raise NotBelieved(f"What the identity provider sent is not believed: {problem}.") from problem
    if claims.get("nonce") != nonce:
        raise NotBelieved("What the identity provider sent belongs to another sign-in.")
    if claims.get("azp", settings.OIDC_CLIENT_ID) != settings.OIDC_CLIENT_ID:
        raise NotBelieved("What the identity provider sent was made for another site.")
    return claims


def _key_of(provider: Provider, token: str) -> "PyJWK":
    """Return the provider's key that the token names; without a name, its only one."""
    import jwt  # noqa: PLC0415 - as above

    head = jwt.get_unverified_header(token)
    if head.get("alg") not in ALGORITHMS:
        raise NotBelieved(f"The identity provider signs by {head.get('alg')}, which is not taken.")
    rows = _ask(provider.jwks_uri).get("keys", [])
    usable = [row for row in rows if isinstance(row, dict) and row.get("use", "sig") == "sig"]
    if "kid" in head:
        usable = [row for row in usable if row.get("kid") == head["kid"]]
    if len(usable) != 1:
        raise NotBelieved("What the identity provider sent is signed by a key that is not its own.")
    return jwt.PyJWK.from_dict(usable[0], algorithm=head["alg"])


def _ask(address: str, *, sent: Mapping[str, str] | None = None, bearer: str = "") -> dict[str, Any]:
    """Fetch JSON; with `sent`, post it as a form in our own name. No redirect is followed."""
    parts = urlsplit(address)
    is_tls = parts.scheme == "https"
    if not parts.hostname or not (is_tls or (parts.scheme == "http" and is_on_loopback(address))):
        raise NotBelieved("Addresses of the identity provider must begin with https://.")
    path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    headers = {"Accept": "application/json", **({"Authorization": f"Bearer {bearer}"} if bearer else {})}
    kind = HTTPSConnection if is_tls else HTTPConnection
    try:
        with closing(kind(parts.hostname, parts.port, timeout=TIMEOUT_S)) as connection:
            if sent is None:
                connection.request("GET", path, headers=headers)
            else:
                connection.request("POST", path, body=urlencode(sent), headers={**headers, **_own_name()})
            answer = connection.getresponse()
            return _read(answer.status, answer.read(LARGEST_ANSWER))
    except (OSError, HTTPException) as problem:
        raise NotBelieved(f"The identity provider did not answer: {type(problem).__name__}.") from problem


def _read(status: int, body: bytes) -> dict[str, Any]:
    if status != 200:
        raise NotBelieved(f"The identity provider refused it ({status}).")
    try:
        told = json.loads(body)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise NotBelieved("The identity provider’s answer cannot be read.")
    return told


def _own_name() -> dict[str, str]:
    """Return the headers by which the provider knows us: the id and the secret, each as a form writes it."""
    pair = f"{quote(settings.OIDC_CLIENT_ID, safe='')}:{quote(settings.OIDC_CLIENT_SECRET, safe='')}"
    return {
        "Authorization": f"Basic {b64encode(pair.encode()).decode()}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
