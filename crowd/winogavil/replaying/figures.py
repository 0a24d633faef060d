"""Figures of a recording, counted while it is replayed."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from crowd.winogavil.domain import FOOL, SOLVABLE
from crowd.winogavil.models import Association
from crowd.winogavil.replaying.rules import IMPOSSIBLE, LEFT_OUT, WARNINGS
from hits.core.domain.bonus_rules import BonusRule, Work, evaluate


class Figures:
    def __init__(self, *, table: Sequence[BonusRule], counts: Counter[str], threshold: int) -> None:
        self._table = table
        self._threshold = threshold
        self.counts = Counter(counts)
        self._associations = 0
        self._selected = 0
        # By number of candidates and of chosen ones: the sum of the rival's scores, and how many.
        self._sizes: defaultdict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
        self._cents: Counter[int] = Counter()

    def add(self, association: Association, *, candidates: int, chosen: int) -> None:
        self._associations += 1
        size = self._sizes[candidates, chosen]
        size[0] += association.model_score or 0
        size[1] += 1
        if association.is_selected(threshold=self._threshold):
            self._selected += 1
        if association.solvers_mean is not None:
            self._cents[int(100 * self._bonus(association))] += 1

    def _bonus(self, association: Association) -> Decimal:
        """Bonus by the study's table, as if the association were all that its author submitted."""
        scores = {
            FOOL: Fraction(association.fool_score or 0, 100),
            SOLVABLE: association.solvers_mean or Fraction(0),
        }
        earned = evaluate(self._table, work=Work(items=[scores]))
        return sum((each.amount for each in earned), Decimal(0))

    def report(self) -> dict[str, Any]:
        cents = sum(amount * times for amount, times in self._cents.items())
        return {
            "associations": self._associations,
            "selected": self._selected,
            "skipped_impossible_rows": sum(self.counts[rule] for rule in LEFT_OUT),
            "by_size": {
                f"{candidates}/{chosen}": {"items": items, "mean_model_score": round(total / items, 1)}
                for (candidates, chosen), (total, items) in sorted(self._sizes.items())
            },
            "bonus_cents_by_tier": {str(amount): times for amount, times in sorted(self._cents.items())},
            "bonus_total": f"{Decimal(cents) / 100:.2f}",
            "warnings": {rule: self.counts[rule] for rule in (*WARNINGS, *IMPOSSIBLE)},
        }
