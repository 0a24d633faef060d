"""The server over HTTP against a plain model: states, counters and cents agree after every step."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, ClassVar, TypeVar

import pytest
from botocore.exceptions import ClientError
from botocore.httpsession import URLLib3Session
from django.conf import LazySettings
from django.utils import timezone
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from crowd.marketplace import clock
from crowd.marketplace.database import atomic
from crowd.marketplace.models import ClockShift, LedgerEntry
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.services import money
from crowd.marketplace.services import work as works
from tests.conftest import Sites
from tests.crowd.marketplace.api import client_of, hit_input, refusal_of
from tests.crowd.marketplace.control_calls import CONTROL_KEY, control
from tests.crowd.marketplace.model import Kind, Model, Person, Refused, Task, Work
from tests.factories import invite, make_requester

pytestmark = pytest.mark.django_db(transaction=True)

DEPOSIT = Decimal(20)
PEOPLE = 4
PICK = st.integers(min_value=0, max_value=100)
Row = TypeVar("Row")
KINDS = [
    Kind(reward=Decimal(reward), duration=timedelta(seconds=duration), delay=timedelta(seconds=delay))
    for reward, duration, delay in [
        ("0.00", 600, 0),
        ("0.03", 600, 300),
        ("0.35", 60, 2_592_000),
        ("1.00", 86_400, 86_400),
        ("2.50", 31_536_000, 2_592_000),
    ]
]
LIVES = [timedelta(seconds=seconds) for seconds in (60, 600, 86_400, 31_536_000)]
WAITS = [timedelta(seconds=seconds) for seconds in (1, 59, 60, 300, 600, 86_400)]
LONG_WAITS = [timedelta(days=days) for days in (1, 30, 31, 119, 121, 366)]


@dataclass(frozen=True, kw_only=True)
class Stage:
    """The server, and the instant at which its clock is stopped."""

    sites: Sites
    began_at: datetime


def pick(rows: Sequence[Row], number: int) -> Row:
    return rows[number % len(rows)]


class Market(RuleBasedStateMachine):
    """One requester with little money, four workers, and a clock; a refused call changes nothing."""

    stage: ClassVar[Stage]

    def __init__(self) -> None:
        super().__init__()
        stage = self.stage
        ClockShift.objects.update_or_create(pk=1, defaults={"ahead": timedelta(0)})
        credentials = make_requester(deposit=DEPOSIT, fee_schedule="amazon", now=stage.began_at)
        self.requester = credentials.requester
        self.api = client_of(stage.sites, credentials)
        self.http = URLLib3Session()
        self.model = Model(now=stage.began_at, deposit=DEPOSIT)
        self.rows = [invite(now=stage.began_at)[0] for _ in range(PEOPLE)]
        self.people = [Person() for _ in self.rows]
        self.hit_ids: list[str] = []
        self.bearers: dict[str, Work] = {}  # ids are reused: the latest work with this id is meant
        self.repeats: list[tuple[datetime, Callable[[], object]]] = []
        self.paid_out = Decimal(0)
        self.step = 0

    def teardown(self) -> None:
        self.api.close()
        self.http.close()

    @property
    def tasks(self) -> list[Task]:
        return self.model.tasks

    @rule(kind=st.sampled_from(KINDS), places=st.sampled_from([1, 2, 3, 9, 10]), life=st.sampled_from(LIVES))
    def create(self, kind: Kind, places: int, life: timedelta) -> None:
        terms = hit_input(
            **terms_of(kind),
            MaxAssignments=places,
            LifetimeInSeconds=int(life.total_seconds()),
            UniqueRequestToken=f"token-{len(self.repeats)}",
        )
        made = self.both(
            lambda: self.model.create(kind=kind, places=places, life=life),
            lambda: self.api.create_hit(**terms),
        )
        if made:
            self.hit_ids.append(made["HIT"]["HITId"])
            self.repeats.append((self.model.now, lambda: self.api.create_hit(**terms)))

    @precondition(lambda self: self.tasks)
    @rule(number=PICK, more=st.sampled_from([1, 1, 2, 8]))
    def extend(self, number: int, more: int) -> None:
        task, hit_id = self.pick_task(number)
        terms = {
            "HITId": hit_id,
            "NumberOfAdditionalAssignments": more,
            "UniqueRequestToken": f"token-{len(self.repeats)}",
        }
        done = self.both(
            lambda: self.model.extend(task, more=more),
            lambda: self.api.create_additional_assignments_for_hit(**terms),
        )
        if done:
            again = lambda: self.api.create_additional_assignments_for_hit(**terms)  # noqa: E731
            self.repeats.append((self.model.now, again))

    @precondition(lambda self: self.repeats)
    @rule(number=PICK)
    def repeat_a_token(self, number: int) -> None:
        """A token that is repeated within 24 hours is refused."""
        used_at, again = pick(self.repeats, number)
        if self.model.now - used_at <= timedelta(hours=24):
            with pytest.raises(ClientError):
                again()

    @precondition(lambda self: self.tasks)
    @rule(number=PICK, ahead=st.sampled_from([None, timedelta(days=-1), *LIVES, timedelta(days=366)]))
    def set_expiration(self, number: int, ahead: timedelta | None) -> None:
        """Set the expiration; None sends the instant 0, which expires the HIT at once."""
        task, hit_id = self.pick_task(number)
        at = datetime.fromtimestamp(0, tz=self.model.now.tzinfo) if ahead is None else self.model.now + ahead
        self.both(
            lambda: self.model.set_expiration(task, at=at),
            lambda: self.api.update_expiration_for_hit(HITId=hit_id, ExpireAt=at),
        )

    @precondition(lambda self: self.tasks)
    @rule(number=PICK, revert=st.booleans())
    def set_reviewing(self, number: int, *, revert: bool) -> None:
        task, hit_id = self.pick_task(number)
        self.both(
            lambda: self.model.set_reviewing(task, revert=revert),
            lambda: self.api.update_hit_review_status(HITId=hit_id, Revert=revert),
        )

    @precondition(lambda self: self.tasks)
    @rule(number=PICK, kind=st.sampled_from(KINDS))
    def change_type(self, number: int, kind: Kind) -> None:
        task, hit_id = self.pick_task(number)
        terms = {name: hit_input(**terms_of(kind))[name] for name in ("Title", "Description")}
        type_id = self.api.create_hit_type(**terms, **terms_of(kind))["HITTypeId"]
        self.both(
            lambda: self.model.change_kind(task, kind=kind),
            lambda: self.api.update_hit_type_of_hit(HITId=hit_id, HITTypeId=type_id),
        )

    @precondition(lambda self: self.tasks)
    @rule(number=PICK)
    def delete(self, number: int) -> None:
        task, hit_id = self.pick_task(number)
        self.both(lambda: self.model.delete(task), lambda: self.api.delete_hit(HITId=hit_id))

    @precondition(lambda self: self.tasks)
    @rule(number=PICK, worker=PICK)
    def accept(self, number: int, worker: int) -> None:
        self.work("accept", number, worker, self.model.accept)

    @precondition(lambda self: self.tasks)
    @rule(number=PICK, worker=PICK)
    def give_back(self, number: int, worker: int) -> None:
        self.work("return", number, worker, self.model.give_back)

    @precondition(lambda self: self.tasks)
    @rule(number=PICK, worker=PICK)
    def submit(self, number: int, worker: int) -> None:
        self.work("submit", number, worker, self.model.submit)

    @precondition(lambda self: self.tasks)
    @rule(number=PICK)
    def everybody_does_it(self, number: int) -> None:
        """Let everybody submit, so that HITs are completed, which chance alone seldom does."""
        for worker in range(PEOPLE):
            self.accept(number, worker)
            self.submit(number, worker)

    @precondition(lambda self: self.bearers)
    @rule(number=PICK, override=st.booleans())
    def approve(self, number: int, *, override: bool) -> None:
        external_id, work = self.pick_work(number)
        self.both(
            lambda: self.model.approve(work, override=override),
            lambda: self.api.approve_assignment(AssignmentId=external_id, OverrideRejection=override),
        )

    @precondition(lambda self: self.bearers)
    @rule(number=PICK)
    def reject(self, number: int) -> None:
        external_id, work = self.pick_work(number)
        self.both(
            lambda: self.model.reject(work),
            lambda: self.api.reject_assignment(AssignmentId=external_id, RequesterFeedback="No."),
        )

    @precondition(lambda self: self.bearers)
    @rule(number=PICK, cents=st.sampled_from([1, 2, 3, 13, 100, 1_500]))
    def pay_bonus(self, number: int, cents: int) -> None:
        external_id, work = self.pick_work(number)
        terms = {
            "WorkerId": self.rows[self.people.index(work.person)].external_id,
            "AssignmentId": external_id,
            "BonusAmount": f"{Decimal(cents) / 100:.2f}",
            "Reason": "Well done.",
            "UniqueRequestToken": f"token-{len(self.repeats)}",
        }
        paid = self.both(
            lambda: self.model.pay_bonus(work, amount=Decimal(cents) / 100),
            lambda: self.api.send_bonus(**terms),
        )
        if paid:
            self.repeats.append((self.model.now, lambda: self.api.send_bonus(**terms)))

    @rule(worker=PICK)
    def pay_out(self, worker: int) -> None:
        """Record that the worker was paid everything owed, outside the service."""
        person, row = pick(self.people, worker), pick(self.rows, worker)
        self.run_the_clock()
        if owed := person.owed:
            with atomic():
                money.pay_out(
                    worker_id=row.pk, amount=owed, reference="", paid_by="operator", now=self.model.now
                )
            person.owed = Decimal(0)
            self.paid_out += owed

    @rule(by=st.sampled_from(WAITS))
    def wait(self, by: timedelta) -> None:
        self.turn(by)

    @rule(by=st.sampled_from(LONG_WAITS))
    def wait_long(self, by: timedelta) -> None:
        self.turn(by)

    @rule()
    def run_the_clock(self) -> None:
        """Run the periodic task; every read settles just as well without it."""
        works.settle(now=clock.now())

    @invariant()
    def all_agree(self) -> None:
        """Compare server and model in alternating order: the first read finds what the clock has made due."""
        self.step += 1
        first, second = self.hits_agree, self.money_agrees
        for check in (first, second) if self.step % 2 else (second, first):
            check()
        self.records_agree()

    def hits_agree(self) -> None:
        listed = {hit["HITId"]: hit for hit in self.api.list_hits(MaxResults=100)["HITs"]}
        wanted = {hit_id: self.facts_of(task) for hit_id, task in zip(self.hit_ids, self.tasks, strict=True)}

        assert {hit_id: facts_in(hit) for hit_id, hit in listed.items()} == {
            hit_id: facts for hit_id, facts in wanted.items() if facts[0] != "Disposed"
        }

    def money_agrees(self) -> None:
        balance = self.api.get_account_balance()

        assert balance["AvailableBalance"] == f"{self.model.free:.2f}"
        assert balance["OnHoldBalance"] == f"{self.model.held:.2f}"
        assert self.ledger() == {
            "deposits": -DEPOSIT,
            "available": self.model.free,
            "held": self.model.held,
            "workers": sum(person.owed for person in self.people),
            "fees": self.model.fees,
            "paid": self.paid_out,
        }

    def records_agree(self) -> None:
        kept = Worker.objects.filter(pk__in=[row.pk for row in self.rows]).order_by("pk")

        assert [record_of(worker) for worker in kept] == [record_of(person) for person in self.people]

    def both(self, model: Callable[[], object], server: Callable[[], Any]) -> Any:
        """Return the server's answer if both agree to do it, None if both refuse with the same code."""
        refused = code_of_refusal(model)
        if refused is None:
            return server()
        with pytest.raises(ClientError) as caught:
            server()
        assert refusal_of(caught.value).code == refused
        return None

    def work(self, action: str, number: int, worker: int, model: Callable[[Task, Person], Work]) -> None:
        task, hit_id = self.pick_task(number)
        terms = {"action": action, "worker": pick(self.rows, worker).external_id, "hit": hit_id}
        status, answer = control(self.http, self.stage.sites, "simulate", terms)
        done: Work | None = None
        with suppress(Refused):
            done = model(task, pick(self.people, worker))
        assert status == (200 if done else 409)
        if done:
            assert answer["status"] == done.status
            self.bearers[answer["assignment"]] = done

    def turn(self, by: timedelta) -> None:
        self.model.turn(by)
        ClockShift.objects.update(ahead=self.model.now - self.stage.began_at)

    def pick_task(self, number: int) -> tuple[Task, str]:
        return pick(self.tasks, number), pick(self.hit_ids, number)

    def pick_work(self, number: int) -> tuple[str, Work]:
        return pick(list(self.bearers.items()), number)

    def facts_of(self, task: Task) -> tuple[object, ...]:
        return (
            task.status(self.model.now),
            task.places,
            task.available(self.model.now),
            task.pending,
            task.count("Approved", "Rejected"),
        )

    def ledger(self) -> dict[str, Decimal]:
        """Sums of this requester's and these workers' accounts, added here: SQLite would add floats."""
        sums = dict.fromkeys(LedgerEntry.Account.values, Decimal(0))
        mine = LedgerEntry.objects.filter(requester=self.requester) | LedgerEntry.objects.filter(
            worker__in=self.rows
        )
        for account, amount in mine.values_list("account", "amount"):
            sums[account] += amount
        assert sum(sums.values()) == 0
        return sums


def code_of_refusal(deed: Callable[[], object]) -> str | None:
    try:
        deed()
    except Refused as refused:
        return refused.code
    return None


def terms_of(kind: Kind) -> dict[str, Any]:
    return {
        "Reward": f"{kind.reward:.2f}",
        "AssignmentDurationInSeconds": int(kind.duration.total_seconds()),
        "AutoApprovalDelayInSeconds": int(kind.delay.total_seconds()),
    }


def facts_in(hit: dict[str, Any]) -> tuple[object, ...]:
    progress = ("Available", "Pending", "Completed")
    return (
        hit["HITStatus"],
        hit["MaxAssignments"],
        *(hit[f"NumberOfAssignments{name}"] for name in progress),
    )


def record_of(somebody: Worker | Person) -> dict[str, object]:
    return {name: getattr(somebody, name) for name in ("submitted", "approved", "rejected", "earned", "owed")}


@pytest.fixture
def stage(sites: Sites, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """The machine's clock stands still for the marketplace, so both sides name the same instants."""
    settings.MARKETPLACE_CONTROL_KEY = CONTROL_KEY
    settings.MARKETPLACE_KEY_RATE = 0
    began_at = timezone.now().replace(microsecond=0)
    monkeypatch.setattr(clock, "timezone", StoppedClock(began_at))
    return Stage(sites=sites, began_at=began_at)


@dataclass(frozen=True)
class StoppedClock:
    stands_at: datetime

    def now(self) -> datetime:
        return self.stands_at


def play(stage: Stage, *, examples: int, steps: int) -> None:
    profile = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        report_multiple_bugs=False,
        phases=set(Phase) - {Phase.explain},
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    Market.stage = stage
    run_state_machine_as_test(Market, settings=profile)


def test_server_and_model_agree_after_every_step(stage: Stage) -> None:
    play(stage, examples=20, steps=25)


@pytest.mark.long
def test_server_and_model_agree_after_very_many_steps(stage: Stage) -> None:
    play(stage, examples=1_000, steps=60)
