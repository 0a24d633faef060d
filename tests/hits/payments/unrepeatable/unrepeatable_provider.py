"""A provider that pays again whenever it is asked again, and that lists amounts alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from hits.core.errors import NothingDone, ProviderRefused, ProviderUnavailable
from hits.payments.services import payment_outcomes, three_way_match
from hits.providers.gateway.interface import ProviderBonus
from hits.providers.services import usable_accounts

PREPARE, PAY, LIST = "PrepareBonus", "SendBonus", "ListBonusPayments"
# The request is carried out, and its answer is lost.
DONE_UNHEARD = ("fail_after", "timeout")


@dataclass(frozen=True, kw_only=True)
class Paid:
    work: str
    amount: Decimal
    # The bonus that the request was made for. The provider itself does not know it.
    token: str
    at: datetime


@dataclass(kw_only=True)
class Fault:
    kind: str
    operation: str  # empty: any
    times: int


@dataclass(kw_only=True)
class Unrepeatable:
    """`carry` makes each call, and may lose it, die around it or let it arrive later."""

    now: Callable[[], datetime]
    # The workers of all work that it knows.
    workers: dict[str, str] = field(default_factory=dict)
    carry: Callable[[str, str, Callable[[], Any]], Any] = lambda _operation, _token, make: make()
    funds: Decimal = Decimal(1000)
    fee: Callable[[Decimal], Decimal] = lambda _: Decimal(0)
    # Payments are listed only after this long.
    lag: timedelta = timedelta(0)
    gone: set[str] = field(default_factory=set)
    paid: list[Paid] = field(default_factory=list)
    prepared: dict[str, tuple[str, Decimal]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)

    def prepare_bonus(self, *, assignment_external_id: str, amount: Decimal) -> str:
        def prepare() -> str:
            if assignment_external_id in self.gone:
                raise ProviderRefused(f"Unknown: {assignment_external_id}", code="400", is_only_answer=True)
            key = f"prepared-{len(self.prepared)}"
            self.prepared[key] = (assignment_external_id, amount)
            return key

        try:
            key: str = self._call(PREPARE, "", prepare)
        except ProviderUnavailable as error:
            raise NothingDone("Not set up") from error
        return key

    def send_bonus(self, *, token: UUID, prepared: str = "", **_: Any) -> None:
        def pay() -> None:
            work, amount = self.prepared[prepared]
            cost = amount + self.fee(amount)
            if cost > self.funds:
                raise ProviderRefused("Not enough funds", code="InsufficientFunds", is_only_answer=True)
            self.funds -= cost
            self.paid.append(Paid(work=work, amount=amount, token=str(token), at=self.now()))

        self._call(PAY, str(token), pay)

    def list_bonuses_of(self, assignment_external_id: str) -> Sequence[ProviderBonus]:
        listed: Sequence[ProviderBonus] = self._call(LIST, "", lambda: self._listed(assignment_external_id))
        return listed

    def get_balance(self) -> Decimal:
        return self.funds

    def payments_of(self, work: str) -> list[Decimal]:
        """What a person reads in its web app, which is never behind."""
        return [paid.amount for paid in self.paid if paid.work == work]

    def _listed(self, work: str) -> list[ProviderBonus]:
        return [
            ProviderBonus(
                assignment_external_id=work,
                worker_external_id=self.workers[work],
                amount=paid.amount,
                reason="",
            )
            for paid in self.paid
            if paid.work == work and paid.at <= self.now() - self.lag
        ]

    def _call(self, operation: str, token: str, make: Callable[[], Any]) -> Any:
        self.calls.append(operation)
        return self.carry(operation, token, lambda: self._answer(operation, make))

    def _answer(self, operation: str, make: Callable[[], Any]) -> Any:
        fault = next((one for one in self.faults if one.times and one.operation in ("", operation)), None)
        if fault is None:
            return make()
        fault.times -= 1
        if fault.kind == "throttle":
            raise NothingDone("Busy")
        if fault.kind in DONE_UNHEARD:
            make()
        raise ProviderUnavailable(f"No answer ({fault.kind})")


def put_behind_accounts(provider: Unrepeatable, monkeypatch: pytest.MonkeyPatch) -> None:
    for asker in (usable_accounts, payment_outcomes, three_way_match):
        monkeypatch.setattr(asker, "provider_for", lambda *_, **__: provider)
