"""Assignments approved on both sides, bonuses for them, people, payers, and everything that goes wrong."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from botocore.awsrequest import AWSResponse
from django.conf import settings
from django.db import connection, transaction

from crowd.marketplace import models as market
from crowd.marketplace.services import money as market_money
from hits.batches.services.budgets import reserve
from hits.core.errors import CrowdError, ProviderUnavailable
from hits.identity.models.users import User
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Halt, Run
from hits.payments.services import bonus_runs, kill_switch, paying, payment_outcomes, refused_bonuses
from hits.payments.services.bonus_states import owe
from hits.providers.gateway.boto import BotoProvider
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from tests.factories import (
    invite,
    make_account,
    make_assignment,
    make_batch,
    make_hit,
    make_requester,
    make_study,
    make_user,
    make_worker,
)
from tests.promise.crashes import Killed, Life
from tests.promise.wire import provider_over_wire
from tests.promise.world import Clock, pick

Status = Bonus.Status
DEPOSIT = Decimal(6)
RESERVED = Decimal(5000)
HITS, WORKERS, PEOPLE = 2, 2, 3
# Time in which a given-up request may still be carried out: less than the payer waits before it looks.
ON_ITS_WAY = timedelta(minutes=4)


class Meeting(Life):
    """A life in which another one acts: before a statement outside any savepoint, or around a call."""

    def __init__(
        self,
        act: Callable[[], object],
        *,
        statement: int | None = None,
        calls: int | None = None,
        after: bool = False,
    ) -> None:
        super().__init__()
        self._act, self._at, self._call_at, self._then = act, statement, calls, after
        self._depth = len(connection.savepoint_ids)

    def call(self, make: Callable[[], Any]) -> Any:
        if self._call_at is None:
            return make()
        self._call_at -= 1
        if self._call_at >= 0:
            return make()
        self._call_at = None
        if not self._then:
            self._act()
            return make()
        answer = make()
        self._act()
        return answer

    def _execute(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        alone = len(connection.savepoint_ids) == self._depth and not sql.startswith(("RELEASE", "ROLLBACK"))
        if self._at is not None and alone:
            self._at -= 1
            if self._at < 0:
                self._at = None
                self._act()
        return execute(sql, params, many, context)


class GivenUp(Life):
    """A life that gives up waiting at call number `calls`; the request itself arrives later."""

    def __init__(self, shelf: Callable[[Callable[[], Any]], None], *, calls: int) -> None:
        super().__init__(calls=calls)
        self._shelf = shelf

    def call(self, make: Callable[[], Any]) -> Any:
        if self._calls is None:
            return make()
        self._calls -= 1
        if self._calls >= 0:
            return make()
        self._calls = None
        self._shelf(make)
        raise ProviderUnavailable("No answer")


@dataclass
class Payments:
    """One study, one account; `owed` is every obligation that was ever made."""

    clock: Clock
    account: Account = field(init=False)
    batch: Batch = field(init=False)
    people: list[User] = field(init=False)
    works: list[Assignment] = field(init=False)
    requester: market.Requester = field(init=False)
    life: Life = field(default_factory=Life)
    owed: dict[str, Decimal] = field(default_factory=dict)
    # The latest time, the token of a payment, and the request itself.
    late: list[tuple[datetime, str, Callable[[], Any]]] = field(default_factory=list)
    # The requests that may still leave while payments are stopped: they were on their way by then.
    leaving: set[str] | None = None
    problems: list[str] = field(default_factory=list)
    killed: int = 0
    _token: str = ""

    def __post_init__(self) -> None:
        self.clock.turn(timedelta(0))
        made = make_requester(deposit=DEPOSIT, fee_schedule="amazon", now=self.now())
        self.requester = made.requester
        self.account = make_account(
            endpoint=settings.MARKETPLACE_URL,
            access_key_id=made.access_key_id,
            secret_access_key=made.secret_access_key,
            fee_schedule="amazon",
        )
        self.batch = make_batch(study=make_study(), account=self.account, status="open")
        Batch.objects.update(terms={**(self.batch.terms or {}), "fee_schedule": "amazon"})
        with transaction.atomic():
            reserve(batch=self.batch, amount=RESERVED, words="For the test", by=None, now=self.now())
        self.people = [make_user(is_superuser=True) for _ in range(PEOPLE)]
        self.works = approved_work(
            self.batch, requester=made.requester, hits=HITS, workers=WORKERS, now=self.now()
        )
        self.provider: BotoProvider = provider_over_wire(self.account, carry=self._carry)
        self.provider._client.meta.events.register_first("before-send.mturk", self._see)

    def now(self) -> datetime:
        return self.clock.now()

    def forget(self) -> None:
        """Reset the state for the next schedule: the rows are rolled back by then."""
        self.owed, self.late, self.leaving, self.problems, self.killed = {}, [], None, [], 0
        self.life = Life()
        self.clock.ahead *= 0

    # People.

    def owe(self, work: int, cents: int) -> None:
        """Owe an amount by a rule of its own, or by the next revision of a rule."""
        assignment = self.works[work % len(self.works)]
        number = len(self.owed)
        last = Bonus.objects.filter(assignment=assignment, rule="score").count() if cents % 2 else None
        bonus = Bonus(
            assignment=assignment,
            rule=f"rule {number}" if last is None else "score",
            revision=last or 0,
            why="The score changed." if last else "",
            amount=Decimal(cents) / 100,
            reason=f"For number {number}.",
            owed_at=self.now(),
        )
        with transaction.atomic():
            owe([bonus], by=None, now=self.now())
        self.owed[str(bonus.token)] = bonus.amount

    def prepare(self, person: int, mask: int) -> None:
        owed = Bonus.objects.filter(status=Status.OWED).order_by("pk")
        chosen = [bonus for place, bonus in enumerate(owed) if mask >> (place % 5) & 1]
        given: dict[str, Any] = {"by": self.people[person], "title": "A run", "now": self.now()}
        self.alive(lambda: bonus_runs.prepare_run(bonuses=chosen, **given))

    def freeze(self, number: int, life: Life | None = None) -> None:
        if run := self._run(Run.Status.DRAFT, number):
            self.alive(lambda: bonus_runs.freeze_run(run=run, by=run.prepared_by, now=self.now()), life)

    def approve(self, person: int, number: int, life: Life | None = None) -> None:
        if run := self._run(Run.Status.FROZEN, number):
            by = self.people[person]
            self.alive(
                lambda: bonus_runs.approve_run(run=run, digest=run.digest, by=by, now=self.now()), life
            )

    def refuse(self, person: int, number: int) -> None:
        if run := self._run(Run.Status.FROZEN, number):
            by = self.people[person]
            self.alive(lambda: bonus_runs.refuse_run(run=run, reason="No.", by=by, now=self.now()))

    def take_back(self, number: int) -> None:
        """Take a run back as its preparer: a frozen one becomes a draft, or else a draft is dissolved."""
        frozen, draft = self._run(Run.Status.FROZEN, number), self._run(Run.Status.DRAFT, number)
        if frozen:
            self.alive(lambda: bonus_runs.unfreeze_run(run=frozen, by=frozen.prepared_by, now=self.now()))
        elif draft:
            self.alive(lambda: bonus_runs.dissolve_run(run=draft, by=draft.prepared_by, now=self.now()))

    def act_on(self, number: int, verb: str, life: Life | None = None) -> None:
        """Use the queue's action for a bonus that was refused or is unclear."""
        bonus = pick(
            list(
                Bonus.objects.filter(status__in=(Status.REFUSED, Status.UNKNOWN))
                .select_related("assignment__hit", "assignment__account")
                .order_by("pk")
            ),
            number,
        )
        acts: dict[str, Callable[..., object]] = {
            "look": payment_outcomes.look_now,
            "send_again": refused_bonuses.send_again,
            "decide_anew": refused_bonuses.decide_anew,
        }
        if bonus is not None:
            self.alive(lambda: acts[verb](bonus=bonus, by=self.people[0], now=self.now()), life)

    def decide(self, number: int, life: Life | None = None) -> None:
        """Decide what no list can settle: here nothing, for a list shows every payment."""

    def halt(self, everywhere: bool) -> None:
        account = None if everywhere else self.account
        given: dict[str, Any] = {"reason": "Stop.", "by": self.people[0], "now": self.now()}
        self.alive(lambda: kill_switch.halt_payments(account=account, **given))
        if self.leaving is None and Halt.objects.filter(lifted_at=None).exists():
            sending = Bonus.objects.filter(status=Status.SENDING).values_list("token", flat=True)
            self.leaving = {str(token) for token in sending}

    def lift(self) -> None:
        for halt in kill_switch.open_halts():
            kill_switch.lift_halt(halt=halt, by=self.people[1], now=self.now())
        self.leaving = None

    # Payers.

    def pay(self, life: Life | None = None) -> None:
        self.alive(lambda: paying.pay_bonuses(now=self.now()), life)

    def pay_after(self, seconds: int) -> None:
        self.turn(seconds)
        self.pay()

    def confirm(self, life: Life | None = None) -> None:
        self.alive(lambda: paying.confirm_bonuses(now=self.now()), life)

    def alive(self, act: Callable[[], object], life: Life | None = None) -> None:
        """Act in a life that may end. A refusal is an answer, and a death ends this process only."""
        outer, self.life = self.life, life or Life()
        try:
            with self.life.lived():
                act()
        except Killed:
            self.killed += 1
        except CrowdError:
            pass
        finally:
            self.life = outer

    # What goes wrong.

    def change(self, number: int, what: str) -> None:
        """Change a row without a service, behind a run that is frozen or approved."""
        chosen = Bonus.objects.filter(
            status__in=(Status.OWED, Status.APPROVED), rows__is_live=True, rows__run__digest__gt=""
        )
        if bonus := pick(list(chosen.order_by("pk")), number):
            if what == "reason":
                Bonus.objects.filter(pk=bonus.pk).update(reason=f"{bonus.reason}!"[:500])
            elif what == "work":
                was = bonus.assignment.status
                other = "approved" if was == "rejected" else "rejected"
                Assignment.objects.filter(pk=bonus.assignment_id).update(status=other)
            else:
                self._change_amount(bonus)

    def _change_amount(self, bonus: Bonus) -> None:
        """Change the amount, try to approve the run, and restore the amount, which the books still have."""
        if bonus.status == Status.OWED:
            Bonus.objects.filter(pk=bonus.pk).update(amount=bonus.amount + 1)
            for number in range(Run.objects.filter(status=Run.Status.FROZEN).count()):
                self.approve(number % PEOPLE, number)
            Bonus.objects.filter(pk=bonus.pk).update(amount=bonus.amount)
            if Bonus.objects.filter(pk=bonus.pk, status=Status.APPROVED).exists():
                self.problems.append(f"{bonus.token} was approved with another amount than was frozen")

    def lose_work(self, number: int) -> None:
        """Hide an assignment at the marketplace, which then refuses bonuses for it."""
        work = self.works[number % len(self.works)]
        market.Assignment.objects.filter(external_id=work.external_id).update(status="Abandoned")

    def find_work(self) -> None:
        market.Assignment.objects.update(status="Approved")

    def deposit(self, dollars: int) -> None:
        market_money.deposit(requester_id=self.requester.pk, amount=Decimal(dollars), now=self.now())

    def fault(self, kind: str, operation: str, times: int) -> None:
        market.Fault.objects.create(kind=kind, operation=operation, remaining=times, seconds=0)

    def turn(self, seconds: int) -> None:
        self.clock.turn(timedelta(seconds=seconds))
        self.arrive(everything=False)

    def shelve(self, request: Callable[[], Any]) -> None:
        self.late.append((self.now() + ON_ITS_WAY, self._token, request))

    def arrive(self, *, everything: bool = True) -> None:
        """Deliver requests that were given up: they arrive within minutes, or never."""
        ready = [row for row in self.late if everything or row[0] <= self.now()]
        self.late = [row for row in self.late if row not in ready]
        for until, _, request in ready:
            ahead = self.clock.ahead
            if until < self.now():
                self.clock.turn(until - self.now())
            request()
            self.clock.turn(ahead - self.clock.ahead)

    # The end.

    def heal(self) -> None:
        """End all faults, deposit money, and wait until others may take the rows of a dead process."""
        self.arrive()
        market.Fault.objects.all().delete()
        self.find_work()
        self.deposit(100_000)
        self.lift()
        self.turn(400)

    def finish(self) -> None:
        """Do what honest people and sweeps do until nothing is left to do."""
        for _ in range(6):
            self.finish_round()
            if not Bonus.objects.exclude(status=Status.CONFIRMED).exists():
                return
            self.turn(8000)

    def finish_round(self) -> None:
        while self._run(Run.Status.FROZEN, 0) or self._run(Run.Status.DRAFT, 0):
            self.take_back(0)
        for bonus in Bonus.objects.filter(status=Status.REFUSED):
            verb = refused_bonuses.refusal_of(bonus).remedy
            act = (
                refused_bonuses.send_again
                if verb in ("send_again", "deposit")
                else refused_bonuses.decide_anew
            )
            act(bonus=bonus, by=self.people[0], now=self.now())
        self.prepare(0, 31)
        self.freeze(0)
        self.approve(1, 0)
        self.pay()
        self.confirm()

    def _run(self, status: str, number: int) -> Run | None:
        return pick(
            list(Run.objects.filter(status=status).select_related("prepared_by").order_by("pk")), number
        )

    def _carry(self, operation: str, send: Callable[[], AWSResponse]) -> AWSResponse:
        def call() -> AWSResponse:
            with self.clock.at_home():
                return send()

        answered: AWSResponse = self.life.call(call)
        return answered

    def _see(self, request: Any, **_: object) -> None:
        """See every payment request as it leaves, before anything can happen to it."""
        if not str(request.headers["X-Amz-Target"]).rstrip("'").endswith("SendBonus"):
            self._token = ""  # an abandoned request for a list holds no payment
            return
        self._token = json.loads(request.body)["UniqueRequestToken"]
        if self.leaving is not None and self._token not in self.leaving:
            self.problems.append(f"{self._token} was sent while payments were stopped")
        if any(self._token == row[1] for row in self.late):
            self.problems.append(f"{self._token} was sent while a request of it was on its way")


def approved_work(
    batch: Batch, *, requester: market.Requester, hits: int, workers: int, now: datetime
) -> list[Assignment]:
    """Create assignments that both sides have approved: each worker did each HIT."""
    kind = market.HITType.objects.create(
        requester=requester,
        digest="terms",
        title="A task",
        description="Of a test.",
        reward=batch.reward,
        assignment_duration_s=60,
        auto_approval_delay_s=60,
    )
    theirs = [invite(now=now)[0] for _ in range(workers)]
    ours = [make_worker(account=batch.account, external_id=row.external_id) for row in theirs]
    works = []
    for _ in range(hits):
        place = market.HIT.objects.create(
            requester=requester,
            hit_type=kind,
            question="question",
            frame_height=0,
            max_assignments=workers,
            approved=workers,
            fee=0,
            created_at=now,
            expires_at=now,
            closed_at=now,
            is_reviewing=True,
        )
        hit = make_hit(batch=batch, external_id=place.external_id, status="closed", closed_at=now)
        for their, our in zip(theirs, ours, strict=True):
            done = market.Assignment.objects.create(
                hit=place,
                worker=their,
                attempt=1,
                status="Approved",
                accepted_at=now,
                deadline_at=now,
                submitted_at=now,
                approved_at=now,
            )
            known = {"external_id": done.external_id, "status": "approved", "owed_at": now}
            works.append(make_assignment(hit=hit, worker=our, **known))
    return works
