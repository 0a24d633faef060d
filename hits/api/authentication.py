"""Authentication by a token with scopes, or by a signed-in session of the admin."""

from typing import Any

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request

from hits.common import login_throttle, rates
from hits.common.client_address import address_of
from hits.identity import api_tokens
from hits.identity.models.api_tokens import ApiToken
from hits.identity.models.users import User

LONGEST_HEADER = 300
ANOTHER = "Make another in the admin, under API tokens."


class BearerToken(BaseAuthentication):
    """Authentication by `Authorization: Bearer crowd_...`. Every refusal says what to do."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        header = get_authorization_header(request)
        scheme, _, secret = header.partition(b" ")
        if not header:
            return None
        if scheme.lower() != b"bearer" or len(header) > LONGEST_HEADER:
            raise AuthenticationFailed("Send your token as “Authorization: Bearer crowd_…”.")
        _refuse_guesser(request)
        token = api_tokens.find_token(secret=secret.strip().decode("ascii", errors="replace"))
        if token is None:
            rates.spend(**_guesses(request))
            raise AuthenticationFailed("There is no such token. Make one in the admin, under API tokens.")
        return _check(token)

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def _refuse_guesser(request: Request) -> None:
    if rates.is_spent(**_guesses(request)):
        raise Throttled(
            wait=login_throttle.WINDOW_S, detail="Too many unknown tokens were sent from your address."
        )


def _guesses(request: Request) -> dict[str, Any]:
    """The rate limit for wrong tokens, by address alone: a token has no name to count guesses under."""
    place = login_throttle.place_of(address_of(request))
    most = login_throttle.MOST_FAILURES_FROM_ADDRESS
    return {"bucket": "api.unknown", "key": place, "most": most, "window_s": login_throttle.WINDOW_S}


def _check(token: ApiToken) -> tuple[User, ApiToken]:
    now = timezone.now()
    if token.revoked_at is not None:
        raise AuthenticationFailed(f"This token has been revoked. {ANOTHER}")
    if token.expires_at <= now:
        raise AuthenticationFailed(f"This token has expired. {ANOTHER}")
    if not token.user.is_active:
        raise AuthenticationFailed("The owner of this token may not sign in any more.")
    api_tokens.mark_used(token=token, now=now)
    return token.user, token


def user_of(request: Request) -> User:
    """The signed-in user of the request. Raises AuthenticationFailed if there is none."""
    user: Any = request.user
    if not isinstance(user, User):
        raise AuthenticationFailed
    return user
