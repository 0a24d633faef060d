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

    @property
    def winner(self) -> Winner | None:
        """The source with the larger share; None if one of them has no judged explanation here."""
        if self.first.value is None or self.second.value is None:
            return None
        if self.first.value == self.second.value:
            return Winner.NEITHER
        return Winner.FIRST if self.first.value > self.second.value else Winner.SECOND


def count_wins(duels: Iterable[CategoryDuel]) -> Mapping[Winner, Share]:
    """The share of categories that each source wins, of those where both are judged."""
    winners = [duel.winner for duel in duels if duel.winner is not None]
    return {winner: Share(right=winners.count(winner), of=len(winners)) for winner in Winner}
