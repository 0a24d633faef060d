"""The prompts that a model gets most wrong and most right, and what they have in common."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

# So many prompts of each end are looked at in the paper.
MOST = 20


class End(StrEnum):
    """The two ends of a model's prompts, in the order of the gap between its probabilities."""

    WORST = "worst"
    BEST = "best"


@dataclass(frozen=True, kw_only=True)
class AnsweredPrompt:
    """A prompt with the probabilities that a model gives to its two words.

    The last two are None where nobody knows what the model ties to the noun.
    """

    text: str
    noun: str
    generic: str
    k: int
    target: str
    incorrect: str
    p_target: float
    p_incorrect: float
    # Whether the model itself ties the generic to the noun.
    is_associative: bool | None
    # Whether the model ties anything to the noun.
    has_associations: bool | None

    @property
    def gap(self) -> float:
        """How much likelier the model finds the wrong word; below 0 it is right."""
        return self.p_incorrect - self.p_target


@dataclass(frozen=True, kw_only=True)
class EndSummary:
    """Counts of the prompts at one end."""

    count: int
    by_k: Mapping[int, int]
    # Prompts by their generic, the commonest first.
    by_word: Mapping[str, int]
    # Prompts of which it is known what the model ties to the noun; the two below are a part of them.
    known: int
    non_associative: int
    without_associations: int

    def share(self, count: int) -> Fraction | None:
        return Fraction(count, self.count) if self.count else None

    def share_of_known(self, count: int) -> Fraction | None:
        return Fraction(count, self.known) if self.known else None


def summarize(prompts: Sequence[AnsweredPrompt]) -> EndSummary:
    words = Counter(one.generic for one in prompts)
    return EndSummary(
        count=len(prompts),
        by_k=Counter(one.k for one in prompts),
        by_word=dict(sorted(words.items(), key=lambda row: (-row[1], row[0]))),
        known=sum(one.is_associative is not None for one in prompts),
        non_associative=sum(one.is_associative is False for one in prompts),
        without_associations=sum(one.has_associations is False for one in prompts),
    )
