"""API tokens: made, found, revoked. Only the owner has the secret itself."""

import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from hashlib import sha256

import structlog
from django.db import IntegrityError, models, transaction
from django.db.models import Q

from hits.core.errors import RuleBroken
from hits.identity.models.api_tokens import ApiToken
from hits.identity.models.users import User

PREFIX = "crowd_"
USED_ONCE_A = timedelta(minutes=1)
LONGEST_DAYS = 365
log = structlog.get_logger()


class Scope(models.TextChoices):
    """The most that a token may be used for."""

    READ = "read", "Read what its owner may see"
    DRAFT = "draft", "Make and change studies and drafts"
    LAUNCH = "launch", "Launch batches, and pause, change or end them"
    REVIEW = "review", "Decide on submitted work"
    WORKERS = "workers", "Block workers and write to them"
    EXPORT = "export", "Export a batch's work"


def make_token(
    *, user: User, name: str, scopes: Collection[str], days: int = 90, now: datetime
) -> tuple[ApiToken, str]:
    """Return the row and its secret, which can never be shown again."""
    secret = f"{PREFIX}{secrets.token_urlsafe(32)}"
    try:
        with transaction.atomic():
            token = ApiToken.objects.create(
                user=user,
                name=name,
                digest=_digest(secret),
                scopes=sorted(scopes),
                expires_at=now + timedelta(days=days),
            )
    except IntegrityError:
        raise RuleBroken(
            "token_name_taken", f"You have, or had, a token “{name}”. Choose another name."
        ) from None
    log.info("token.made", token=str(token.public_id), user=str(user.public_id), scopes=token.scopes)
    return token, secret


def find_token(*, secret: str) -> ApiToken | None:
    """Return the token of a secret. It is found by digest, so that the database gives nobody a key."""
    return ApiToken.objects.select_related("user").filter(digest=_digest(secret)).first()


def mark_used(*, token: ApiToken, now: datetime) -> None:
    """Record the use of a token, once a minute at most: a loop of calls must not write at each call."""
    if token.last_used_at is None or token.last_used_at <= now - USED_ONCE_A:
        ApiToken.objects.filter(
            Q(last_used_at=None) | Q(last_used_at__lte=now - USED_ONCE_A), pk=token.pk
        ).update(last_used_at=now)


def revoke_token(*, token: ApiToken, by: User, now: datetime) -> bool:
    """Revoke the token at once and for good. Return False if it was revoked before."""
    revoked = ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now)
    if revoked:
        log.info("token.revoked", token=str(token.public_id), by=str(by.public_id))
    return bool(revoked)


def _digest(secret: str) -> str:
    return sha256(secret.encode(errors="replace")).hexdigest()
