"""The cost of a draft, and the hourly wage that it would pay."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from decimal import Decimal

from hits.core.domain import bonus_rules, money, wages
from hits.core.domain.counted_nouns import plural
from hits.studies.models import Batch

# How many batches back to look for one with measured times.
LATEST = 20


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One way to post the work, and its price."""

    name: str
    hits: int
    places: int
    cost: money.Cost
    is_chosen: bool


@dataclass(frozen=True, kw_only=True)
class Wage:
    """Pay by the hour, and the source of the time."""

    hourly: Decimal
    seconds: float
    basis: str
    floor: Decimal | None

    @property
    def is_low(self) -> bool:
        return self.floor is not None and self.hourly < self.floor


@dataclass(frozen=True, kw_only=True)
class Line:
    """A rule of the bonus table in words, and the most it can pay for one assignment."""

    name: str
    words: str
    most: Decimal


def table_of(rules: Sequence[bonus_rules.BonusRule], *, items: int, currency: str) -> list[Line]:
    return [
        Line(name=rule.name, words=rule.in_words(currency=currency), most=rule.most(items=items))
        for rule in rules
    ]


def plans_of(batch: Batch) -> list[Plan]:
    """Plans to post the work: one below ten workers for each task, and from ten on two, at two prices."""
    workers = batch.assignments_per_hit
    sizes = {Batch.Sharding.SHARDS: money.shards(workers), Batch.Sharding.WHOLE: [workers]}
    names = {
        Batch.Sharding.SHARDS: f"{len(money.shards(workers))} HITs of at most {money.MANY - 1} each",
        Batch.Sharding.WHOLE: f"One HIT of {workers}",
    }
    if workers < money.MANY:
        return [_plan(batch, "The plan", [workers], is_chosen=True)]
    return [_plan(batch, names[way], sizes[way], is_chosen=batch.sharding == way) for way in sizes]


def plan_with(batch: Batch, *, hits_wanted: int) -> Plan:
    """The chosen plan if the draft asked for this many HITs; nothing is saved."""
    asked = copy(batch)
    asked.hits_wanted = hits_wanted
    return next(plan for plan in plans_of(asked) if plan.is_chosen)


def cost_of(batch: Batch) -> money.Cost:
    """The same as batch.cost, without a list of all its HITs."""
    return _times(money.cost_of(batch.sizes, prices=batch.prices), batch.hits_wanted)


def wage_of(batch: Batch) -> Wage | None:
    """The hourly wage by the measured times of the repeated or latest batch, else by the estimate."""
    measured = _measured(batch)
    if measured is None:
        seconds, basis = float(batch.estimated_s), "your estimate: nothing has been measured yet"
    else:
        number, items, median, works = measured
        seconds = median * batch.items_per_assignment / items
        basis = f"the median active time that was measured in batch {number}, of {plural(works, 'work')}"
        if items != batch.items_per_assignment:
            each = plural(batch.items_per_assignment, "item")
            basis += f", at {each} for each assignment instead of {items}"
    hourly = wages.hourly_wage(reward=batch.reward, seconds=seconds)
    if hourly is None:
        return None
    return Wage(hourly=hourly, seconds=seconds, basis=basis, floor=batch.study.wage_floor)


def _measured(batch: Batch) -> tuple[int, int, float, int] | None:
    """The latest batch of this task with a median: number, items for each assignment, median, and works."""
    earlier = Batch.objects.filter(study=batch.study_id, task=batch.task, launched_at__isnull=False)
    if batch.source_batch_id:
        earlier = earlier.filter(pk=batch.source_batch_id)
    latest = earlier.order_by("-pk").values_list("pk", "items_per_assignment", "figures")[:LATEST]
    found = ((number, items, figures) for number, items, figures in latest if figures.get("median_s"))
    return next(
        ((number, items, told["median_s"], told.get("submitted", 0)) for number, items, told in found), None
    )


def _plan(batch: Batch, name: str, sizes: list[int], *, is_chosen: bool) -> Plan:
    return Plan(
        name=name,
        hits=len(sizes) * batch.hits_wanted,
        places=sum(sizes) * batch.hits_wanted,
        cost=_times(money.cost_of(sizes, prices=batch.prices), batch.hits_wanted),
        is_chosen=is_chosen,
    )


def _times(cost: money.Cost, tasks: int) -> money.Cost:
    return money.Cost(
        rewards=tasks * cost.rewards,
        fees=tasks * cost.fees,
        bonuses=tasks * cost.bonuses,
        bonus_fees=tasks * cost.bonus_fees,
    )
