"""The cost of bonuses that are about to be owed: shown on a page that asks, and read back as it was seen."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from django.http import QueryDict

from hits.admin.actions import emphasize
from hits.admin.page_parts import read_number
from hits.common.currencies import in_each, in_money
from hits.studies.models import Batch

NO_MONEY_YET = "No money moves yet. They are owed, and wait for a bonus run that another person approves."


@dataclass(frozen=True, kw_only=True)
class Sum:
    """A cost to confirm; `left` is None if the study has no budget."""

    count: int
    total: Decimal
    fees: Decimal
    left: Decimal | None
    currency: str

    @property
    def is_over_budget(self) -> bool:
        return self.left is None or self.total + self.fees > self.left

    @property
    def cost(self) -> str:
        return cost_in_words({self.currency: self.total + self.fees}, left=self.left)

    @property
    def fees_in_words(self) -> str:
        return f", and {in_money(self.fees, self.currency)} of fees" if self.fees else ""

    @property
    def seen(self) -> list[tuple[str, str]]:
        return [("count", str(self.count)), ("total", f"{self.total:.2f}")]

    def problem(self, *, done: str) -> str:
        if not self.is_over_budget:
            return ""
        if self.left is None:
            return "The study has no budget. Give it one first."
        raise_it = "Raise the study's budget first"
        return f"That is more than is left. {raise_it}; nothing is {done} until all of it fits."


def sum_up(batch: Batch, amounts: Iterable[Decimal]) -> Sum:
    each = list(amounts)
    fees = sum((batch.prices.fees.on_bonus(amount) for amount in each), Decimal(0))
    total, left = sum(each, Decimal(0)), batch.study.budget_left
    return Sum(count=len(each), total=total, fees=fees, left=left, currency=batch.currency)


def cost_in_words(costs: Mapping[str, Decimal], *, left: Decimal | None, at_most: bool = False) -> str:
    """Say what is set aside, in each currency; `left` is the budget of the one study that pays it."""
    words = f"That costs {'at most ' if at_most else ''}{{}}, which is set aside at once."
    if left is None:
        return emphasize(words, in_each(costs))
    (currency,) = costs
    return emphasize(f"{words} The study's budget has {{}} left.", in_each(costs), in_money(left, currency))


def read_seen(sent: QueryDict) -> tuple[int, Decimal]:
    """The count and total that the page showed; zeros, which no page has shown, if they are unreadable."""
    try:
        total = Decimal(sent.get("total", ""))
    except InvalidOperation:
        return (0, Decimal(0))
    return (read_number(sent.get("count", "")) or 0, total if total.is_finite() else Decimal(0))
