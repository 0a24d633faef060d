"""The rules of money and work that need no database: standard library only."""

from hits.core.domain.bonus_rules import BonusRule, Earned, Work, evaluate
from hits.core.domain.bonus_tables import read_bonus_rules
from hits.core.domain.money import FEES, MANY, Cost, FeeSchedule, Prices, cost_of, round_to_cents, shards
from hits.core.domain.sameness import is_amazon, is_same_moment
from hits.core.domain.wages import hourly_wage, percentile

__all__ = [
    "FEES",
    "MANY",
    "BonusRule",
    "Cost",
    "Earned",
    "FeeSchedule",
    "Prices",
    "Work",
    "cost_of",
    "evaluate",
    "hourly_wage",
    "is_amazon",
    "is_same_moment",
    "percentile",
    "read_bonus_rules",
    "round_to_cents",
    "shards",
]
