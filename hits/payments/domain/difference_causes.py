"""Each way in which the books and the provider can disagree: what it means, and the one thing to do."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Cause:
    title: str
    meaning: str
    action: str
    # True: a person may close it with a reason. False: it closes by itself once a match no longer finds it.
    by_reason: bool = True


CAUSES: Mapping[str, Cause] = {
    "not_ours": Cause(
        title="Paid there, and not by our books",
        meaning="The provider lists a payment that our books have not sent: somebody paid it by hand or with "
        "another program, or it was paid although it is not recorded as sent here.",
        action="Find out who paid it and for what, and close this with that reason. It is not taken back.",
    ),
    "twice": Cause(
        title="Paid there more than once",
        meaning="The provider lists several payments with the reference of one bonus.",
        action="Nothing can be taken back at the provider. Find out how it happened, tell the operator of "
        "this site, and close it with what you found.",
    ),
    "other_amount": Cause(
        title="Paid there with another amount",
        meaning="The payment carries the reference of one of our bonuses, and another amount.",
        action="Compare both amounts. Too little: ask for a new bonus of the rest. Then close it with the "
        "reason.",
    ),
    "other_worker": Cause(
        title="Paid there to somebody else, or for other work",
        meaning="The payment carries the reference of one of our bonuses, and went to another worker or to "
        "other work.",
        action="Find out how it happened. The right worker may still be owed it. Close it with the reason.",
    ),
    "not_listed": Cause(
        title="Sent by us, and not on the provider's list",
        meaning="The provider took our request, and its list of payments does not show it.",
        action="Look again. If it stays missing, send the provider the reference below; do not pay it again "
        "by hand before they have answered.",
    ),
    "unclear": Cause(
        title="Outcome unknown for too long",
        meaning="The request to pay got no answer, and the provider's list could not settle it for an hour.",
        action="See it in the queue of payments, where it can be looked for now.",
        by_reason=False,
    ),
    "balance": Cause(
        title="The provider's balance is not what the books say",
        meaning="Deposits less what is held, approved and sent come to another sum than the provider's "
        "balance, and no other difference explains it.",
        action="If money went in or came back, record it as a deposit or a withdrawal. If not, compare every "
        "HIT: a payment that was made by hand shows up there.",
        by_reason=False,
    ),
}
