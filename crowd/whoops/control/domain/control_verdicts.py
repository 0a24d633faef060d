"""When an image passes the control group, and what its designer reads when it does not."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

LONGEST_REASON = 1000
LONGEST_QUOTE = 120


class Verdict(Enum):
    """The verdict of a control group. OPEN: the answers still to come decide."""

    PASSED = "passed"
    FAILED = "failed"
    OPEN = "open"


@dataclass(frozen=True, kw_only=True)
class MissedAnswer:
    """A control answer that missed what is weird: its text, and the comparer's note to the designer."""

    text: str
    note: str = ""

    @property
    def words(self) -> str:
        saw = f"“{_short(self.text)}”" if self.text else "nothing weird"
        return f"{saw} ({self.note})" if self.note else saw


def verdict_of(*, seen: int, missed: int, wanted: int, needed: int) -> Verdict:
    """The verdict, decided as soon as no answer still to come can change it."""
    if seen >= needed:
        return Verdict.PASSED
    return Verdict.FAILED if wanted - missed < needed else Verdict.OPEN


def reason_of_return(*, seen: int, missed: Sequence[MissedAnswer], needed: int) -> str:
    """The reason that the designer reads: how many people saw what is weird, and what the others saw."""
    looked = seen + len(missed)
    people = "person" if looked == 1 else "people"
    told = f"Of {looked} {people} who looked, {seen} saw what is weird; {needed} are needed."
    others = "; ".join(one.words for one in missed)
    return _cut(f"{told} The others saw: {others}.", LONGEST_REASON)


def _short(text: str) -> str:
    return _cut(text, LONGEST_QUOTE)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
