"""Rules of a study's bonus table, and what one submission earns by them. Exact: never a float.

Each result keeps the figures that led to it, so that a worker can be told and a bonus can be proved.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

from hits.common.currencies import in_money

CENT = Decimal("0.01")
NOTHING = Decimal(0)
HOUR_S = 3600
Scores = Mapping[str, Fraction]  # of one item, by measure


@dataclass(frozen=True, kw_only=True)
class Work:
    """Facts recorded of one submission when the bonus table is read."""

    items: Sequence[Scores] = ()
    reward: Decimal = NOTHING
    seconds: int | None = None
    # Amounts owed by rule and not given up: a wage counts them as pay, whatever the scores say today.
    owed: Mapping[str, Decimal] = field(default_factory=dict)

    def of(self, measure: str) -> list[Fraction]:
        return [scores[measure] for scores in self.items if measure in scores]


@dataclass(frozen=True, kw_only=True)
class RuleAmount:
    """Amount of one rule, possibly zero, with the scores and steps that led to it, ready for JSON."""

    rule: str
    amount: Decimal
    figures: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class BonusRule(ABC):
    """A line of a study's bonus table."""

    kind: ClassVar[str]
    name: str

    @abstractmethod
    def most(self, *, items: int) -> Decimal:
        """The most it can come to for one submission of so many items: this much is reserved."""

    @abstractmethod
    def reckon(self, work: Work, *, other_bonuses: Decimal) -> tuple[Decimal, dict[str, Any]]:
        """Return the amount and the figures that led to it."""

    @abstractmethod
    def in_words(self, *, currency: str) -> str:
        """Description for the researcher, who checks what the table means."""

    @property
    def measures(self) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True, kw_only=True)
class Condition(BonusRule):
    kind = "condition"
    measure: str
    at_least: int
    amount: Decimal

    def most(self, *, items: int) -> Decimal:
        return self.amount

    def reckon(self, work: Work, *, other_bonuses: Decimal) -> tuple[Decimal, dict[str, Any]]:
        scores = work.of(self.measure)
        mean = sum(scores, Fraction(0)) / len(scores) if scores else None
        amount = self.amount if _reaches(mean, self.at_least) else NOTHING
        return amount, {
            "measure": self.measure,
            "at_least": self.at_least,
            "scores": [str(score) for score in scores],
            "mean": _text(mean),
        }

    def in_words(self, *, currency: str) -> str:
        bound = f"where the mean of “{self.measure}” is at least {self.at_least} %"
        return f"{in_money(self.amount, currency)} once, {bound}"

    @property
    def measures(self) -> tuple[str, ...]:
        return (self.measure,)


@dataclass(frozen=True, kw_only=True)
class Flat(BonusRule):
    kind = "flat"
    amount: Decimal

    def most(self, *, items: int) -> Decimal:
        return self.amount

    def reckon(self, work: Work, *, other_bonuses: Decimal) -> tuple[Decimal, dict[str, Any]]:
        return self.amount, {}

    def in_words(self, *, currency: str) -> str:
        return f"{in_money(self.amount, currency)} for every approved submission"


@dataclass(frozen=True, kw_only=True)
class PerItem(BonusRule):
    kind = "per_item"
    measure: str
    at_least: int
    amount: Decimal

    def most(self, *, items: int) -> Decimal:
        return items * self.amount

    def reckon(self, work: Work, *, other_bonuses: Decimal) -> tuple[Decimal, dict[str, Any]]:
        steps = [self._step(scores.get(self.measure)) for scores in work.items]
        return _total(steps), {"measure": self.measure, "at_least": self.at_least, "items": steps}

    def _step(self, score: Fraction | None) -> dict[str, Any]:
        amount = self.amount if _reaches(score, self.at_least) else NOTHING
        return {"score": _text(score), "amount": _money(amount)}

    def in_words(self, *, currency: str) -> str:
        each = in_money(self.amount, currency)
        return f"{each} for each item where “{self.measure}” is at least {self.at_least} %"

    @property
    def measures(self) -> tuple[str, ...]:
        return (self.measure,)


@dataclass(frozen=True, kw_only=True)
class Tier:
    """Amount for scores from `start` per cent up to, but not including, `below`; None includes 100."""

    start: int
    below: int | None
    amount: Decimal

    def holds(self, score: Fraction) -> bool:
        return self.start <= 100 * score and (self.below is None or 100 * score < self.below)

    def in_words(self, *, currency: str) -> str:
        end = "on" if self.below is None else f"to below {self.below} %"
        return f"{in_money(self.amount, currency)} from {self.start} % {end}"


@dataclass(frozen=True, kw_only=True)
class Gate:
    """Condition of a rule: items below it earn nothing by the rule, however high they score."""

    measure: str
    at_least: int


@dataclass(frozen=True, kw_only=True)
class Tiers(BonusRule):
    kind = "tiers"
    measure: str
    tiers: tuple[Tier, ...]
    when: Gate | None = None

    def most(self, *, items: int) -> Decimal:
        return items * max(tier.amount for tier in self.tiers)

    def reckon(self, work: Work, *, other_bonuses: Decimal) -> tuple[Decimal, dict[str, Any]]:
        steps = [self._step(scores) for scores in work.items]
        figures: dict[str, Any] = {"measure": self.measure, "items": steps}
        if self.when:
            figures["when"] = {"measure": self.when.measure, "at_least": self.when.at_least}
        return _total(steps), figures

    def _step(self, scores: Scores) -> dict[str, Any]:
        score = scores.get(self.measure)
        step: dict[str, Any] = {"score": _text(score), "amount": _money(NOTHING)}
        if self.when:
            step["when"] = _text(scores.get(self.when.measure))
            if not _reaches(scores.get(self.when.measure), self.when.at_least):
                return step
        for tier in self.tiers:
            if score is not None and tier.holds(score):
                return {**step, "from": tier.start, "below": tier.below, "amount": _money(tier.amount)}
        return step

    def in_words(self, *, currency: str) -> str:
        tiers = "; ".join(tier.in_words(currency=currency) for tier in self.tiers)
        gate = f", only where “{self.when.measure}” is at least {self.when.at_least} %" if self.when else ""
        return f"for each item by its score “{self.measure}”{gate}: {tiers}"

    @property
    def measures(self) -> tuple[str, ...]:
        return (self.measure, self.when.measure) if self.when else (self.measure,)


@dataclass(frozen=True, kw_only=True)
class Wage(BonusRule):
    """Amount that reward and bonuses lack to an hourly wage: its own, or else the study's wage floor."""

    kind = "wage"
    at_most: Decimal
    hourly: Decimal | None = None

    def most(self, *, items: int) -> Decimal:
        return self.at_most

    def reckon(self, work: Work, *, other_bonuses: Decimal) -> tuple[Decimal, dict[str, Any]]:
        lacking = NOTHING
        if self.hourly is not None and work.seconds is not None:
            due = Fraction(self.hourly) * work.seconds / HOUR_S
            pay = Fraction(work.reward) + Fraction(other_bonuses)
            lacking = max(0, ceil(100 * (due - pay))) * CENT
        return min(lacking, self.at_most), {
            "hourly": None if self.hourly is None else _money(self.hourly),
            "seconds": work.seconds,
            "reward": _money(work.reward),
            "other_bonuses": _money(other_bonuses),
            "lacking": _money(lacking),
            "at_most": _money(self.at_most),
        }

    def in_words(self, *, currency: str) -> str:
        wage = "the study's wage floor" if self.hourly is None else in_money(self.hourly, currency)
        most = in_money(self.at_most, currency)
        return f"up to {most}, so that reward and bonuses come to {wage} an hour of active time"


def evaluate(rules: Iterable[BonusRule], *, work: Work) -> list[RuleAmount]:
    """Return what each rule comes to, in the order of the table. Wages are computed after all the others."""
    rules = list(rules)
    found: dict[str, RuleAmount] = {}
    for rule in sorted(rules, key=lambda rule: isinstance(rule, Wage)):
        others = _others(rule.name, found, work)
        amount, figures = rule.reckon(work, other_bonuses=others)
        evidence = {"kind": rule.kind, **figures, "amount": _money(amount)}
        found[rule.name] = RuleAmount(rule=rule.name, amount=amount, figures=evidence)
    return [found[rule.name] for rule in rules]


def pay_of_item(rules: Iterable[BonusRule], scores: Scores) -> Decimal | None:
    """What the rules of these measures pay for one item of these scores; None where there is no such rule."""
    by_item = [rule for rule in rules if isinstance(rule, PerItem | Tiers) and rule.measure in scores]
    if not by_item:
        return None
    return sum((each.amount for each in evaluate(by_item, work=Work(items=[scores]))), NOTHING)


def _others(name: str, found: Mapping[str, RuleAmount], work: Work) -> Decimal:
    """Sum of the other rules, each as today or as owed, whichever is more: what is owed stays owed."""
    names = (found.keys() | work.owed.keys()) - {name}
    today = {other: found[other].amount if other in found else NOTHING for other in names}
    return sum((max(today[other], work.owed.get(other, NOTHING)) for other in names), NOTHING)


def _reaches(score: Fraction | None, at_least: int) -> bool:
    return score is not None and 100 * score >= at_least


def _money(amount: Decimal) -> str:
    return f"{amount:.2f}"


def _text(score: Fraction | None) -> str | None:
    return None if score is None else str(score)


def _total(steps: Iterable[Mapping[str, Any]]) -> Decimal:
    return sum((Decimal(step["amount"]) for step in steps), NOTHING)
