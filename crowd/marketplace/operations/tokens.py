"""UniqueRequestToken: remembered for 24 hours. The error for a repeat names what the first call made."""

from crowd.marketplace.errors import RequestError
from crowd.marketplace.models import RequestToken
from crowd.marketplace.models.parties import Requester
from crowd.marketplace.operations.registry import Call
from crowd.marketplace.services.retention import TOKEN_MEMORY


def refuse_repeat(call: Call, *, operation: str, code: str) -> None:
    """Raise RequestError if this token has been used; forget it once it is a day old."""
    # Two calls with one token at once: the second waits here, and then sees what the first made. Locked
    # without a token too: every caller moves the requester's money and takes further locks on the way.
    Requester.objects.select_for_update(no_key=True).get(pk=call.requester.pk)
    token = call.text("UniqueRequestToken")
    if not token:
        return
    used = RequestToken.objects.filter(requester=call.requester, operation=operation, token=token)
    used.filter(created_at__lt=call.now - TOKEN_MEMORY).delete()
    if earlier := used.first():
        raise RequestError(
            f"The request token {token} has been used already; it made {earlier.made}.", code=code
        )


def remember(call: Call, *, operation: str, made: str) -> None:
    """Remember the token and what it made. Called in the same transaction."""
    if token := call.text("UniqueRequestToken"):
        RequestToken.objects.create(
            requester=call.requester,
            operation=operation,
            token=token,
            made=made,
            created_at=call.now,
        )
