"""A sign-in by OpenID Connect: begun with secrets of this one session, ended by the account that is meant."""

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils.crypto import constant_time_compare

from hits.core import audit_trail
from hits.identity.models.openid_links import OpenIdLink
from hits.identity.models.users import User
from hits.identity.services import identity_provider
from hits.identity.services.identity_provider import NotBelieved

BEGUN = "openid_begun"
LONGEST_S = 600
OTHER = "This sign-in was not begun here, or is over. Begin it again."
NOBODY = (
    "The identity provider knows you, but no account here is yours. Ask whoever manages the users to write "
    "your e-mail address into your account, just as the provider has it."
)


def begin(*, session: Any, redirect_uri: str, wanted: str, now: datetime) -> str:
    """Return the provider's address to go to. What proves the answer stays in the session."""
    provider = identity_provider.discover()
    begun = {name: secrets.token_urlsafe(32) for name in ("state", "nonce", "verifier")}
    session[BEGUN] = {**begun, "at": now.timestamp(), "wanted": wanted}
    return identity_provider.authorization_address(
        provider,
        response_type="code",
        scope="openid email",
        client_id=settings.OIDC_CLIENT_ID,
        redirect_uri=redirect_uri,
        state=begun["state"],
        nonce=begun["nonce"],
        code_challenge=_challenge(begun["verifier"]),
        code_challenge_method="S256",
    )


def finish(*, session: Any, answer: Mapping[str, str], redirect_uri: str, now: datetime) -> tuple[User, str]:
    """Return the user and the page that was asked for. Raises NotBelieved; an answer is taken once."""
    begun = session.pop(BEGUN, None)
    if begun is None or not constant_time_compare(answer.get("state", ""), begun["state"]):
        raise NotBelieved(OTHER)
    if not 0 <= now.timestamp() - begun["at"] <= LONGEST_S:
        raise NotBelieved(OTHER)
    if answer.get("iss", settings.OIDC_ISSUER) != settings.OIDC_ISSUER:
        raise NotBelieved("Another identity provider has answered.")
    if "code" not in answer:
        raise NotBelieved("The identity provider did not sign you in.")
    provider = identity_provider.discover()
    tokens = identity_provider.exchange_code(
        provider, code=answer["code"], verifier=begun["verifier"], redirect_uri=redirect_uri
    )
    claims = identity_provider.read_id_token(provider, tokens.id_token, nonce=begun["nonce"])
    link = (
        OpenIdLink.objects.select_related("user").filter(issuer=claims["iss"], subject=claims["sub"]).first()
    )
    if link is None:
        link = _link_by_email(identity_provider.read_person(provider, tokens, claims), now=now)
    if not (link.user.is_active and link.user.is_staff):
        raise NotBelieved("Your account here is closed.")
    return link.user, str(begun["wanted"])


def _link_by_email(claims: Mapping[str, Any], *, now: datetime) -> OpenIdLink:
    """Link the only user with this address. A superuser is never linked: the provider would be above us."""
    email = claims.get("email")
    if claims.get("email_verified") is not True or not isinstance(email, str) or not email:
        raise NotBelieved(NOBODY)
    found = list(User.objects.filter(email__iexact=email, is_active=True, is_staff=True)[:2])
    if len(found) != 1 or found[0].is_superuser:
        raise NotBelieved(NOBODY)
    (user,) = found
    try:
        with transaction.atomic():
            link = OpenIdLink.objects.create(
                user=user, issuer=claims["iss"], subject=claims["sub"], linked_at=now
            )
            words = f"{user} signs in by {claims['iss']} from now on, by their confirmed e-mail address."
            audit_trail.note("sign_in.linked", words, by=user, now=now)
    except IntegrityError:
        raise NotBelieved(
            "Your account here belongs to another person at the identity provider. Ask whoever manages the "
            "users."
        ) from None
    return link


def _challenge(verifier: str) -> str:
    return urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("=")
