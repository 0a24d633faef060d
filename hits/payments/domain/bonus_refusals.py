"""What a provider's refusal of a bonus means, and the one thing that is safe to do about it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Remedy(StrEnum):
    SEND_AGAIN = "send_again"  # same approval and token, after another look at the provider's list
    DECIDE_ANEW = "decide_anew"  # owed again: two people decide once more
    PAY_BY_HIT = "pay_by_hit"  # no assignment can carry it: a HIT of its own, for this worker alone
    DEPOSIT = "deposit"  # the account needs money first, then the bonus is sent again


@dataclass(frozen=True, kw_only=True)
class Refusal:
    happened: str
    advice: str
    remedy: Remedy
    # The other payments of the account would be refused as well.
    stops_account: bool = False


TOO_EARLY = Refusal(
    happened="The provider does not pay bonuses for this work in the state that it is in.",
    advice="Usually it is too early: the approval has not arrived there yet. Send it again in a while.",
    remedy=Remedy.SEND_AGAIN,
)
WORK_GONE = Refusal(
    happened="The provider does not know this work any more: it was removed there, or is too old.",
    advice="No assignment can carry this bonus. Pay it by a HIT of its own, for this worker alone.",
    remedy=Remedy.PAY_BY_HIT,
)
OUT_OF_FUNDS = Refusal(
    happened="The account had too little money for this bonus and its fee.",
    advice="Put money into the account at the provider first. Then send it again, under the same approval.",
    remedy=Remedy.DEPOSIT,
    stops_account=True,
)
NO_ACCESS = Refusal(
    happened="The provider does not let this account pay: its key is not valid, or may not do this.",
    advice="Have the account's key corrected first. Then send it again, under the same approval.",
    remedy=Remedy.SEND_AGAIN,
    stops_account=True,
)
TOKEN_USED = Refusal(
    happened="The provider says that this very request was made before, and yet lists no such payment.",
    advice="Sending it again is safe: the list is read first, and the request carries the same token.",
    remedy=Remedy.SEND_AGAIN,
)
OTHER_WORKER = Refusal(
    happened="The provider says that somebody else did this work.",
    advice="The bonus cannot be right as it was approved. Take it back and have it investigated.",
    remedy=Remedy.DECIDE_ANEW,
)
WORKER_GONE = Refusal(
    happened="The provider pays nothing to this worker: blocked there, or the account is closed.",
    advice="Sending it again would be refused again. Take it back, and let two people decide on it.",
    remedy=Remedy.DECIDE_ANEW,
)
BAD_AMOUNT = Refusal(
    happened="The amount is more, or less, than the provider pays as one bonus.",
    advice="Take it back. What is owed has to be paid in another way, and two people decide how.",
    remedy=Remedy.DECIDE_ANEW,
)
BAD_REASON = Refusal(
    happened="The provider does not take the text that tells the worker what the bonus is for.",
    advice="Sending it again would be refused again. Take it back, and let two people decide on it.",
    remedy=Remedy.DECIDE_ANEW,
)
OTHERWISE = Refusal(
    happened="The provider refused this bonus, for a reason that is not known here.",
    advice="Read the provider's own words. Take the bonus back, and let two people decide on it.",
    remedy=Remedy.DECIDE_ANEW,
)
BY_CODE = {
    "InvalidAssignmentState": TOO_EARLY,
    "InvalidHITState": TOO_EARLY,
    "AssignmentDoesNotExist": WORK_GONE,
    "HITDoesNotExist": WORK_GONE,
    "InsufficientFunds": OUT_OF_FUNDS,
    "PermissionDeniedException": NO_ACCESS,
    "AccessDeniedException": NO_ACCESS,
    "UnrecognizedClientException": NO_ACCESS,
    "InvalidSignatureException": NO_ACCESS,
    "IncompleteSignature": NO_ACCESS,
    "MissingAuthenticationTokenException": NO_ACCESS,
    "ExpiredTokenException": NO_ACCESS,
    "NotAuthorized": NO_ACCESS,
    # Where a provider has no codes but those of HTTP.
    "401": NO_ACCESS,
    "403": NO_ACCESS,
    "WorkerDoesNotExist": WORKER_GONE,
    "WorkerBlocked": WORKER_GONE,
}
# Other codes stand for several refusals: the provider's words tell which.
BY_WORDS: tuple[tuple[Callable[[str], bool], Refusal], ...] = (
    (lambda words: "token" in words and "used" in words, TOKEN_USED),
    (lambda words: "did not do assignment" in words or "another worker" in words, OTHER_WORKER),
    (lambda words: "bonusamount" in words, BAD_AMOUNT),
    (lambda words: "reason" in words, BAD_REASON),
    (lambda words: "blocked" in words or "no such worker" in words, WORKER_GONE),
    (lambda words: "workerid" in words, WORKER_GONE),
)


def explain(*, code: str, words: str = "") -> Refusal:
    """What a refusal means; one that is not known is decided on again, which pays nothing by itself."""
    if code in BY_CODE:
        return BY_CODE[code]
    lowered = words.lower()
    return next((refusal for tells, refusal in BY_WORDS if tells(lowered)), OTHERWISE)
