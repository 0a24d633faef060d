"""Codes with which a participant's browser tells Prolific how a visit ended.

They are derived from the HIT's secret token, so that nothing has to be kept, and each study has its own.
"""

import hashlib
import hmac
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without those that look alike
LENGTH = 10


class Ending(StrEnum):
    """How a visit ended. The values are Prolific's types of codes."""

    COMPLETED = "COMPLETED"
    NO_CONSENT = "NO_CONSENT"
    # No item was left for this participant, or the study did not want them.
    NOTHING_LEFT = "OTHER"


@dataclass(frozen=True, kw_only=True)
class Code:
    ending: Ending
    code: str
    # Why the participant is asked to return the place, in words that they read; "" where they are not.
    return_reason: str = ""


RETURN_REASONS = {
    Ending.NO_CONSENT: "You did not agree to take part. Please return the place: it does not count "
    "against you.",
    Ending.NOTHING_LEFT: "Nothing was left for you in this study. Please return the place: it does not "
    "count against you.",
}


def code_of(token: UUID, ending: Ending) -> str:
    digest = hmac.digest(token.bytes, f"completion {ending.name}".encode(), hashlib.sha256)
    return "".join(LETTERS[byte % len(LETTERS)] for byte in digest[:LENGTH])


def codes_of(token: UUID) -> list[Code]:
    return [
        Code(ending=ending, code=code_of(token, ending), return_reason=RETURN_REASONS.get(ending, ""))
        for ending in Ending
    ]
