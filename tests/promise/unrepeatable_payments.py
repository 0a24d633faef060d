"""The world of payments, with a provider that pays again when it is asked again and lists amounts alone."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import F

from hits.batches.services.budgets import reserve
from hits.core.errors import CrowdError
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.runs import Run, RunRow
from hits.payments.services import payment_outcomes, unpaid_bonuses
from hits.payments.services.payment_outcomes import SENDING_IS_STALE, UNSETTLED
from hits.studies.models import Batch
from tests.factories import (
    make_account,
    make_assignment,
    make_batch,
    make_hit,
    make_study,
    make_user,
    make_worker,
)
from tests.hits.payments.unrepeatable.unrepeatable_provider import PAY, Fault, Unrepeatable
from tests.promise.agreement import book_disagreements
from tests.promise.crashes import Life
from tests.promise.payments import DEPOSIT, HITS, PEOPLE, RESERVED, WORKERS, Payments
from tests.promise.world import pick

Status = Bonus.Status
PAID = (Status.SENT, Status.CONFIRMED)
SPENT = (LedgerEntry.Kind.SENT, LedgerEntry.Kind.BONUS_FEE)
# A list that is as late as this stays so.
FOR_GOOD = timedelta(days=3650)
ROUNDS = 40


@dataclass(repr=False)
class UnrepeatablePayments(Payments):
    """Requests for payment are watched: at most one of the account may be under way."""

    there: Unrepeatable = field(init=False)
    deposited: Decimal = DEPOSIT
    # The requests for payment that have left and are not answered, and when they left.
    under_way: list[datetime] = field(default_factory=list)
    # What happened in all schedules together.
    figures: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.clock.turn(timedelta(0))
        self.account = make_account(kind="prolific", fee_schedule="amazon")
        self.batch = make_batch(study=make_study(), account=self.account, status="open")
        Batch.objects.update(terms={**(self.batch.terms or {}), "fee_schedule": "amazon"})
        with transaction.atomic():
            reserve(batch=self.batch, amount=RESERVED, words="For the test", by=None, now=self.now())
        self.people = [make_user(is_superuser=True) for _ in range(PEOPLE)]
        workers = [make_worker(account=self.account) for _ in range(WORKERS)]
        self.works = [
            make_assignment(hit=hit, worker=worker, status="approved", owed_at=self.now())
            for hit in [make_hit(batch=self.batch, status="closed") for _ in range(HITS)]
            for worker in workers
        ]
        self.there = Unrepeatable(
            now=self.now, carry=self._carry_call, fee=self.account.fees.on_bonus, funds=DEPOSIT
        )
        self._known = {work.external_id: work.worker.external_id for work in self.works}
        self.forget()

    def forget(self) -> None:
        super().forget()
        there = self.there
        there.workers, there.lag, there.funds = self._known, timedelta(0), DEPOSIT
        self.deposited, self.under_way = DEPOSIT, []
        for kept in (there.gone, there.paid, there.prepared, there.faults, there.calls):
            kept.clear()

    # People.

    def decide(self, number: int, life: Life | None = None) -> None:
        """Decide on a payment that no look could settle, by what the provider's own pages show."""
        waiting = Bonus.objects.filter(status__in=payment_outcomes.UNCLEAR, problem=UNSETTLED)
        rows = waiting.select_related("assignment__hit", "assignment__account", "assignment__worker")
        if bonus := pick(list(rows.order_by("pk")), number):
            is_paid = self._is_paid(bonus)
            self.figures["people said: paid" if is_paid else "people said: not paid"] += 1
            act: Callable[..., object] = (
                payment_outcomes.count_as_paid if is_paid else unpaid_bonuses.say_unpaid
            )
            self.alive(lambda: act(bonus=bonus, reason="Seen.", by=self.people[0], now=self.now()), life)

    def _is_paid(self, bonus: Bonus) -> bool:
        """Whether its work has more payments of the amount than other bonuses that count as paid."""
        same = Bonus.objects.filter(assignment=bonus.assignment, amount=bonus.amount, status__in=PAID)
        others = same.exclude(pk=bonus.pk).count()
        return self.there.payments_of(bonus.assignment.external_id).count(bonus.amount) > others

    # What goes wrong.

    def lag(self, seconds: int) -> None:
        self.there.lag = timedelta(seconds=seconds)

    def fault(self, kind: str, operation: str, times: int) -> None:
        self.there.faults.append(Fault(kind=kind, operation=operation, times=times))

    def lose_work(self, number: int) -> None:
        self.there.gone.add(self.works[number % len(self.works)].external_id)

    def find_work(self) -> None:
        self.there.gone.clear()

    def deposit(self, dollars: int) -> None:
        self.there.funds += dollars
        self.deposited += dollars

    def shelve(self, request: Callable[[], Any]) -> None:
        def arrive() -> None:
            with suppress(CrowdError):  # nobody listens any more
                request()

        super().shelve(arrive)

    def _carry_call(self, operation: str, token: str, make: Callable[[], Any]) -> Any:
        self._token = token
        if operation != PAY:
            return self.life.call(make)
        self._watch(token)
        self.under_way.append(self.now())
        try:
            return self.life.call(make)
        finally:
            self.under_way.pop()

    def _watch(self, token: str) -> None:
        """Watch a request for payment as it leaves."""
        self.figures["requests to pay"] += 1
        if self.leaving is not None and token not in self.leaving:
            self.problems.append(f"{token} was sent while payments were stopped")
        recent = [left for left in self.under_way if left > self.now() - SENDING_IS_STALE]
        if recent or any(row[1] for row in self.late):
            self.problems.append(f"{token} was sent while another request was under way")

    # The end.

    def heal(self) -> None:
        """End all faults; a list that stays behind for good goes on being useless."""
        self.figures["unclear or dead"] += Bonus.objects.filter(
            status__in=(Status.SENDING, Status.UNKNOWN)
        ).count()
        self.arrive()
        self.there.faults.clear()
        if self.there.lag < FOR_GOOD:
            self.there.lag = timedelta(0)
        self.find_work()
        self.deposit(100_000)
        self.lift()
        self.turn(400)

    def finish(self) -> None:
        """Do what honest people and sweeps do until nothing is left to do."""
        for _ in range(ROUNDS):
            for number in range(Bonus.objects.filter(problem=UNSETTLED).count()):
                self.decide(number)
            self.finish_round()
            if not Bonus.objects.exclude(status=Status.CONFIRMED).exists():
                return
            self.turn(8000)

    def disagreements(self) -> Iterator[str]:
        """Yield every difference between what is owed, what was paid, and what the books say."""
        paid = Counter((one.work, one.amount) for one in self.there.paid)
        owed = Counter(Bonus.objects.values_list("assignment__external_id", "amount"))
        yield from (f"paid beyond what is owed: {row}" for row in paid - owed)
        yield from (f"owed and never paid: {row}" for row in owed - paid)
        spent = LedgerEntry.objects.filter(batch__account=self.account, kind__in=SPENT)
        ours = sum(spent.values_list("amount", flat=True), Decimal(0))
        theirs = self.deposited - self.there.funds
        if ours != theirs:
            yield f"{ours} were spent by our books, and {theirs} by the provider's balance"
        yield from (f"{row} raised an alarm" for row in Bonus.objects.filter(problem=payment_outcomes.TWICE))
        yield from self._undecided()
        yield from book_disagreements()

    def _undecided(self) -> Iterator[str]:
        """Yield payments that two people had not approved before they were made."""
        for paid in self.there.paid:
            decided = RunRow.objects.filter(
                bonus__token=paid.token, run__decided_at__lte=paid.at, run__kind=Run.Kind.PAY
            ).exclude(run__decided_by=F("run__prepared_by"))
            if not decided.exists():
                yield f"{paid.token} was paid as no two people had decided"

    def count(self) -> None:
        """Add what happened in this schedule to the figures."""
        tokens = Counter(one.token for one in self.there.paid)
        self.figures["schedules"] += 1
        self.figures["deaths"] += self.killed
        self.figures["bonuses"] += len(self.owed)
        self.figures["payments"] += len(self.there.paid)
        self.figures["bonuses paid with the payment of a twin"] += sum(n - 1 for n in tokens.values())
