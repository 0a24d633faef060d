"""The rules of the Requester API that need no database: states, fees, ids."""

import re
import secrets
import string
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from statistics import median
from typing import Literal

CENT = Decimal("0.01")
MANY = 10  # assignments from which on the fee is higher
ALPHABET = string.ascii_uppercase + string.digits

FEWEST_TIMES = 5  # from so many on they say what is typical
KEPT_TIMES = 50
QUICKEST_S = 10
HOUR_S = 3600

HITStatus = Literal["Assignable", "Unassignable", "Reviewable", "Reviewing", "Disposed"]


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The places of one HIT. Pending = accepted and not submitted; done = submitted, approved or rejected."""

    maximum: int
    pending: int
    done: int

    @property
    def available(self) -> int:
        return self.maximum - self.pending - self.done


def hit_status(*, counts: Counts, expired: bool, reviewing: bool, disposed: bool) -> HITStatus:
    if disposed:
        return "Disposed"
    if not expired and counts.available > 0:
        return "Assignable"
    if counts.pending > 0:
        return "Unassignable"
    return "Reviewing" if reviewing else "Reviewable"


@dataclass(frozen=True, kw_only=True)
class FeeSchedule:
    """The fees that the marketplace adds to a reward or bonus. All zero: no fee at all, not even the cent."""

    rate: Decimal = Decimal(0)
    many_rate: Decimal = Decimal(0)
    masters_rate: Decimal = Decimal(0)
    minimum: Decimal = Decimal(0)

    def on_reward(self, reward: Decimal, *, max_assignments: int, masters: bool = False) -> Decimal:
        rate = self.rate
        if max_assignments >= MANY:
            rate += self.many_rate
        if masters:
            rate += self.masters_rate
        return max(self.minimum, round_half_up(reward * rate))

    def on_bonus(self, bonus: Decimal) -> Decimal:
        return max(self.minimum, round_half_up(bonus * self.rate))


FEE_SCHEDULES = {
    "none": FeeSchedule(),
    "amazon": FeeSchedule(
        rate=Decimal("0.20"), many_rate=Decimal("0.20"), masters_rate=Decimal("0.05"), minimum=CENT
    ),
}
PER_CENT = re.compile(r"(\d{1,2}(?:\.\d{1,2})?)%", re.ASCII)


def fee_schedule(name: str) -> FeeSchedule:
    """Return the schedule of this name, or of a rate such as "5%". Raises ValueError for any other name."""
    if name in FEE_SCHEDULES:
        return FEE_SCHEDULES[name]
    if rate := PER_CENT.fullmatch(name):
        return FeeSchedule(rate=Decimal(rate[1]) / 100)
    raise ValueError(f'A fee schedule is "none", "amazon" or a rate such as "5%"; this is {name!r}.')


def round_half_up(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


def topic_arn(*, account: int, name: str) -> str:
    """An ARN shaped like Amazon's, for programs that take it apart. The account is ours, in twelve digits."""
    return f"arn:aws:sns:us-east-1:{account:012}:{name}"


def new_id(*, length: int = 30, prefix: str = "") -> str:
    """A random id of upper-case letters and digits, as the service model's EntityId and CustomerId demand."""
    return prefix + "".join(secrets.choice(ALPHABET) for _ in range(length - len(prefix)))


def typical_hourly(*, reward: Decimal, times_s: Sequence[int]) -> Decimal | None:
    """The reward by the hour at the median of these times; None for no reward, or too few times to say.

    Times that nobody needs to read a page and answer it are those of programs, and say nothing.
    """
    plausible = [time_s for time_s in times_s if time_s >= QUICKEST_S]
    if not reward or len(plausible) < FEWEST_TIMES:
        return None
    return (reward * HOUR_S / Decimal(median(plausible))).quantize(CENT, rounding=ROUND_HALF_UP)
