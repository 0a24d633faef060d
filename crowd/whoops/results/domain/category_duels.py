"""Two sources of explanations compared by category: who does better in each, and how many each wins."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from crowd.whoops.judge.domain.votes import Share


class Winner(StrEnum):
    FIRST = "first"
    SECOND = "second"
    NEITHER = "neither"


@dataclass(frozen=True, kw_only=True)
class CategoryDuel:
    """One category: its images, and the share of each source's explanations that is acceptable there."""

    category: str
    origin: str
    images: int
    first: Share
    second: Share
    # False: of the images without a category, which is none that could be won.
    is_category: bool = True

    @property
    def is_compared(self) -> bool:
        return self.is_category and self.first.value is not None and self.second.value is not None

    def winner(self, *, margin: int = 0) -> Winner | None:
        """Return the source whose share is larger by more than `margin` points of a hundred.

        None: one of them has no judged explanation here, or it is no category.
        """
        if not self.is_category or self.first.value is None or self.second.value is None:
            return None
        lead = 100 * (self.first.value - self.second.value)
        if abs(lead) <= margin:
            return Winner.NEITHER
        return Winner.FIRST if lead > 0 else Winner.SECOND


def count_wins(duels: Iterable[CategoryDuel], *, margin: int = 0) -> Mapping[Winner, Share]:
    """The share of categories that each source wins, of those where both are judged."""
    winners = [duel.winner(margin=margin) for duel in duels if duel.is_compared]
    return {winner: Share(right=winners.count(winner), of=len(winners)) for winner in Winner}
