"""A plain model of HITs, assignments and money, written from the reference and independent of the product.

`turn` moves the time; what it makes due happens in the order of its instants, however far it is turned.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

CENT = Decimal("0.01")
MANY = 10
DISPOSED_AFTER = timedelta(days=120)
FARTHEST_END = timedelta(days=3650)
OVERRIDE_LIFE = timedelta(days=30)
Status = Literal["Accepted", "Submitted", "Approved", "Rejected", "Returned", "Abandoned"]
HOLDING: tuple[Status, ...] = ("Accepted", "Submitted", "Approved", "Rejected")
HANDED_IN: tuple[Status, ...] = ("Submitted", "Approved", "Rejected")


class Refused(Exception):
    """Refusal that the service would answer: the code without its prefix, or none for a worker's refusal."""

    def __init__(self, code: str = "") -> None:
        super().__init__(code)
        self.code = code


def half_up(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


def bonus_fee(bonus: Decimal) -> Decimal:
    return max(CENT, half_up(Decimal("0.20") * bonus))


@dataclass(kw_only=True, eq=False)
class Person:
    """A worker's record."""

    submitted: int = 0
    approved: int = 0
    rejected: int = 0
    earned: Decimal = Decimal(0)
    owed: Decimal = Decimal(0)

    def earn(self, amount: Decimal) -> None:
        self.earned += amount
        self.owed += amount


@dataclass(kw_only=True, frozen=True)
class Kind:
    """A HIT type."""

    reward: Decimal
    duration: timedelta
    delay: timedelta

    def fee(self, *, places: int) -> Decimal:
        rate = Decimal("0.40") if places >= MANY else Decimal("0.20")
        return max(CENT, half_up(self.reward * rate))


@dataclass(kw_only=True, eq=False)
class Work:
    """One accepted assignment of a person."""

    hit: "Task"
    person: Person
    deadline: datetime
    status: Status = "Accepted"
    submitted_at: datetime | None = None
    approval_at: datetime | None = None


@dataclass(kw_only=True, eq=False)
class Task:
    """A HIT."""

    kind: Kind
    places: int
    expires_at: datetime
    fee: Decimal
    works: list[Work] = field(default_factory=list)
    is_reviewing: bool = False
    is_disposed: bool = False
    over_at: datetime | None = None

    @property
    def cost(self) -> Decimal:
        return self.kind.reward + self.fee

    def count(self, *statuses: Status) -> int:
        return sum(work.status in statuses for work in self.works)

    @property
    def pending(self) -> int:
        return self.count("Accepted")

    @property
    def left(self) -> int:
        return self.places - self.count(*HOLDING)

    def status(self, now: datetime) -> str:
        if self.is_disposed:
            return "Disposed"
        if self.expires_at > now and self.left:
            return "Assignable"
        if self.pending:
            return "Unassignable"
        return "Reviewing" if self.is_reviewing else "Reviewable"

    def available(self, now: datetime) -> int:
        return self.left if self.expires_at > now else 0

    def held(self, now: datetime) -> Decimal:
        return (self.available(now) + self.pending + self.count("Submitted")) * self.cost


@dataclass(kw_only=True, eq=False)
class Model:
    """One requester with AWS's fees, and the people who work for it."""

    now: datetime
    deposit: Decimal
    tasks: list[Task] = field(default_factory=list)
    spent: Decimal = Decimal(0)
    fees: Decimal = Decimal(0)

    @property
    def held(self) -> Decimal:
        return sum((task.held(self.now) for task in self.tasks), Decimal(0))

    @property
    def free(self) -> Decimal:
        return self.deposit - self.held - self.spent

    def create(self, *, kind: Kind, places: int, life: timedelta) -> Task:
        fee = kind.fee(places=places)
        self._need(places * (kind.reward + fee))
        task = Task(kind=kind, places=places, expires_at=self.now + life, fee=fee)
        self.tasks.append(task)
        return task

    def extend(self, task: Task, *, more: int) -> None:
        self._refuse_disposed(task)
        if task.places < MANY <= task.places + more:
            raise Refused("InvalidMaximumAssignmentsIncrease")
        if task.expires_at > self.now:
            self._need(more * task.cost)
        task.places += more
        self._open_again(task)

    def set_expiration(self, task: Task, *, at: datetime) -> None:
        """A HIT that is over may be ended once more, which changes nothing; a deleted one may not."""
        self._refuse_disposed(task)
        if at > self.now + FARTHEST_END:
            raise Refused("")
        if at > self.now and task.expires_at <= self.now:
            self._need(task.left * task.cost)
        task.expires_at = min(task.expires_at, self.now) if at <= self.now else at
        self._open_again(task)
        self._note_end(task)

    def set_reviewing(self, task: Task, *, revert: bool) -> None:
        if task.status(self.now) != ("Reviewing" if revert else "Reviewable"):
            raise Refused("InvalidHITState")
        task.is_reviewing = not revert

    def change_kind(self, task: Task, *, kind: Kind) -> None:
        self._refuse_disposed(task)
        if task.left < task.places:
            raise Refused("InvalidHITState")
        fee = kind.fee(places=task.places)
        self._need(task.available(self.now) * (kind.reward + fee) - task.held(self.now))
        task.kind, task.fee = kind, fee

    def delete(self, task: Task) -> None:
        if task.status(self.now) not in ("Reviewable", "Reviewing") or task.count("Submitted"):
            raise Refused("InvalidHITState")
        task.is_disposed = True

    def accept(self, task: Task, person: Person) -> Work:
        """Accept a HIT; a worker who has it open gets the same work again."""
        for work in task.works:
            if work.person is person and work.status in HOLDING:
                if work.status == "Accepted":
                    return work
                raise Refused
        if task.is_disposed or not task.available(self.now):
            raise Refused
        work = Work(hit=task, person=person, deadline=self.now + task.kind.duration)
        task.works.append(work)
        return work

    def give_back(self, task: Task, person: Person) -> Work:
        work = self._open_work(task, person)
        work.status = "Returned"
        return work

    def submit(self, task: Task, person: Person) -> Work:
        work = self._open_work(task, person)
        work.status, work.submitted_at = "Submitted", self.now
        work.approval_at = self.now + task.kind.delay
        person.submitted += 1
        if not task.kind.delay:
            self._pay(work)
        self._note_end(task)
        return work

    def approve(self, work: Work, *, override: bool) -> None:
        if work.status not in (("Submitted", "Rejected") if override else ("Submitted",)):
            raise Refused("InvalidAssignmentState")
        if work.status == "Rejected":
            assert work.submitted_at
            if work.hit.is_disposed or self.now > work.submitted_at + OVERRIDE_LIFE:
                raise Refused("InvalidAssignmentState")
            self._need(work.hit.cost)
            work.person.rejected -= 1
        self._pay(work)

    def reject(self, work: Work) -> None:
        if work.status != "Submitted":
            raise Refused("InvalidAssignmentState")
        work.status = "Rejected"
        work.person.rejected += 1

    def pay_bonus(self, work: Work, *, amount: Decimal) -> None:
        if work.status not in HANDED_IN:
            raise Refused("AssignmentDoesNotExist")
        self._need(amount + bonus_fee(amount))
        self._spend(work.person, amount, bonus_fee(amount))

    def turn(self, by: timedelta) -> None:
        """Move the time; each thing that is due happens at its own instant."""
        until = self.now + by
        while (due := self._next_due()) and due <= until:
            self.now = max(self.now, due)
            self._do_what_is_due()
        self.now = until

    def _next_due(self) -> datetime | None:
        instants = [
            instant
            for task in self.tasks
            if not task.is_disposed
            for instant in (*self._ends_of(task), *(self._end_of(work) for work in task.works))
            if instant
        ]
        return min(instants, default=None)

    def _ends_of(self, task: Task) -> list[datetime | None]:
        waits = task.pending or task.count("Submitted")
        if task.over_at is None:
            return [task.expires_at]
        return [] if waits else [task.over_at + DISPOSED_AFTER]

    def _end_of(self, work: Work) -> datetime | None:
        return {"Accepted": work.deadline, "Submitted": work.approval_at}.get(work.status)

    def _do_what_is_due(self) -> None:
        for task in self.tasks:
            for work in task.works:
                if work.status == "Accepted" and work.deadline <= self.now:
                    work.status = "Abandoned"
                elif work.status == "Submitted" and work.approval_at and work.approval_at <= self.now:
                    self._pay(work)
            self._note_end(task)
            waits = task.pending or task.count("Submitted")
            if task.over_at and task.over_at + DISPOSED_AFTER <= self.now and not waits:
                task.is_disposed = True

    def _note_end(self, task: Task) -> None:
        """Note that no more work can be accepted, because time is up or all work has been submitted."""
        is_over = task.expires_at <= self.now or task.count(*HANDED_IN) == task.places
        if is_over and task.over_at is None:
            task.over_at = self.now

    def _open_again(self, task: Task) -> None:
        if task.available(self.now):
            task.over_at, task.is_reviewing = None, False

    def _pay(self, work: Work) -> None:
        work.status = "Approved"
        work.person.approved += 1
        self._spend(work.person, work.hit.kind.reward, work.hit.fee)

    def _spend(self, person: Person, amount: Decimal, fee: Decimal) -> None:
        self.spent += amount + fee
        self.fees += fee
        person.earn(amount)

    def _need(self, amount: Decimal) -> None:
        if amount > self.free:
            raise Refused("InsufficientFunds")

    def _open_work(self, task: Task, person: Person) -> Work:
        for work in task.works:
            if work.person is person and work.status == "Accepted":
                return work
        raise Refused

    def _refuse_disposed(self, task: Task) -> None:
        if task.is_disposed:
            raise Refused("InvalidHITState")
