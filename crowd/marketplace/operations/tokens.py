"""UniqueRequestToken: remembered for 24 hours. The error for a repeat names what the first call made."""

from typing import Any

from crowd.marketplace.errors import RequestError
from crowd.marketplace.models import RequestToken
from crowd.marketplace.operations.registry import Call
from crowd.marketplace.services.retention import TOKEN_MEMORY
from hits.common.kept_writes import insert


def use_token(call: Call, *, operation: str, code: str, made: str) -> None:
    """Remember the call's token, if it has one, and what it makes. Raises RequestError for a repeat.

    Of two calls with one token at once, the second waits here, at the unique index, until the first is over.
    Callers have locked at most the HIT that they are about: the first wants nothing that the second holds.
    """
    token = call.text("UniqueRequestToken")
    if not token:
        return
    key: dict[str, Any] = {"requester": call.requester, "operation": operation, "token": token}
    if not insert(RequestToken(**key, made=made, created_at=call.now), unless_there=True):
        _use_again(call, key, code=code, made=made)


def _use_again(call: Call, key: dict[str, Any], *, code: str, made: str) -> None:
    """Use a token anew that is a day old. Its row is locked: of two such calls, one finds it new again."""
    rows = RequestToken.objects.select_for_update(no_key=True)
    earlier, is_new = rows.get_or_create(**key, defaults={"made": made, "created_at": call.now})
    if is_new:  # the sweep has deleted the old one meanwhile
        return
    if earlier.created_at >= call.now - TOKEN_MEMORY:
        raise RequestError(
            f"The request token {earlier.token} has been used already; it made {earlier.made}.", code=code
        )
    RequestToken.objects.filter(pk=earlier.pk).update(made=made, created_at=call.now)
