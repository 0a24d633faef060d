"""Payments under deaths, failures and stops: each cent once, by two people, in our books and in theirs."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import transaction
from hypothesis import event, given
from hypothesis import strategies as st

from hits.ledger.models.bonuses import Bonus
from hits.providers.gateway import registry
from tests.promise.agreement import payment_disagreements
from tests.promise.crashes import Life
from tests.promise.often import in_ci, tried
from tests.promise.payments import PEOPLE, GivenUp, Meeting, Payments
from tests.promise.world import Clock

pytestmark = pytest.mark.django_db
IN_CI = in_ci(200, by_hand=40)
LONG = int(os.environ.get("PAYMENT_SCHEDULES", "5000"))
FAULTS = ["throttle", "fail_before", "fail_after", "timeout"]

number = st.integers(0, 4)
person = st.integers(0, PEOPLE - 1)
cents = st.sampled_from([1, 2, 7, 30, 125, 250])
statement = st.integers(0, 40)
call = st.integers(0, 4)
OTHERS = ("pay", "halt", "late pay", "confirm", "look", "send_again", "decide_anew", "change", "lose_work")
meanwhile = st.sampled_from(OTHERS)
risks = st.one_of(
    st.builds(lambda at: {"statements": at}, statement),
    st.builds(lambda at, after: {"calls": at, "after": after}, call, st.booleans()),
    st.builds(lambda at: {"given_up": at}, call),
    st.builds(lambda who, at: {"meets": who, "statement": at}, meanwhile, statement),
    st.builds(
        lambda who, at, after: {"meets": who, "calls": at, "after": after}, meanwhile, call, st.booleans()
    ),
)
lives = st.one_of(st.none(), risks)
owe = st.tuples(st.just("owe"), number, cents)
approved = st.tuples(st.just("run"), st.just(0), st.just(1), st.integers(1, 31))
risky = st.tuples(st.just("pay"), risks)
steps = st.one_of(
    owe,
    owe,
    st.tuples(st.just("run"), person, person, st.integers(1, 31)),
    st.tuples(st.just("run"), person, person, st.integers(1, 31)),
    st.tuples(st.just("prepare"), person, st.integers(1, 31)),
    st.tuples(st.just("freeze"), number, lives),
    st.tuples(st.just("approve"), person, number, lives),
    st.tuples(st.just("refuse"), person, number),
    st.tuples(st.just("take_back"), number),
    st.tuples(st.just("change"), number, st.sampled_from(["reason", "work", "amount"])),
    st.tuples(st.just("lose_work"), number),
    st.tuples(st.just("find_work")),
    approved,
    st.tuples(st.just("pay"), st.none()),
    risky,
    risky,
    risky,
    st.tuples(st.just("confirm"), lives),
    st.tuples(st.just("act_on"), number, st.sampled_from(["look", "send_again", "decide_anew"]), lives),
    st.tuples(st.just("halt"), st.booleans()),
    st.tuples(st.just("lift")),
    st.tuples(st.just("deposit"), st.integers(1, 5)),
    st.tuples(
        st.just("fault"),
        st.sampled_from(FAULTS),
        st.sampled_from(["", "SendBonus", "SendBonus", "ListBonusPayments"]),
        st.integers(1, 7),
    ),
    st.tuples(st.just("turn"), st.sampled_from([1, 20, 200, 400, 8_000, 90_000])),
    st.tuples(st.just("arrive")),
)


def schedules_of(steps: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Schedules that all have payers in trouble; anything may come before, between and after them."""
    return st.builds(
        lambda begun, between, again, rest: [*begun, *between, *again, *rest],
        st.tuples(owe, owe, owe, st.just(("run", 0, 1, 31)), risky),
        st.lists(steps, max_size=8),
        st.tuples(owe, owe, approved, risky),
        st.lists(steps, max_size=12),
    )


schedules = schedules_of(steps)
THREE: list[tuple[Any, ...]] = [("owe", 0, 1), ("owe", 1, 2), ("owe", 0, 7), ("run", 0, 1, 31)]


@pytest.fixture
def payments(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Payments:
    clock.ahead *= 0
    world = Payments(clock=clock)
    monkeypatch.setattr(registry, "_boto_provider", lambda **_: world.provider)
    return world


@contextmanager
def begun_anew(world: Payments) -> Iterator[None]:
    """Run one schedule, and roll everything back."""
    world.forget()
    with transaction.atomic("default"), transaction.atomic("marketplace"):
        yield
        transaction.set_rollback(True, "default")
        transaction.set_rollback(True, "marketplace")


def play(world: Payments, schedule: list[tuple[Any, ...]]) -> None:
    for step, *values in schedule:
        if step == "run":
            preparer, approver, mask = values
            world.prepare(preparer, mask)
            world.freeze(0)
            world.approve(approver, 0)
        elif step in ("freeze", "approve", "pay", "confirm", "act_on", "decide"):
            *others, life = values
            method: Callable[..., None] = getattr(world, step)
            method(*others, _life(world, life))
        else:
            getattr(world, step)(*values)


def _life(world: Payments, told: dict[str, Any] | None) -> Life | None:
    if told is None:
        return None
    if "given_up" in told:
        return GivenUp(world.shelve, calls=told["given_up"])
    if "meets" not in told:
        return Life(**told)
    others: dict[str, Callable[[], object]] = {
        "pay": world.pay,
        "late pay": lambda: world.pay_after(400),
        "confirm": world.confirm,
        "halt": lambda: world.halt(everywhere=True),
        "look": lambda: world.act_on(0, "look"),
        "send_again": lambda: world.act_on(0, "send_again"),
        "decide_anew": lambda: world.act_on(0, "decide_anew"),
        "change": lambda: world.change(0, "reason"),
        "decide": lambda: world.decide(0),
        "lose_work": lambda: world.lose_work(0),
    }
    rest = {name: value for name, value in told.items() if name != "meets"}
    return Meeting(others[told["meets"]], **rest)


def keeps_its_promise(world: Payments, schedule: list[tuple[Any, ...]]) -> None:
    with begun_anew(world):
        play(world, schedule)
        world.arrive()
        on_the_way = [row for row in payment_disagreements(world.account) if " in the ledger " in row]

        world.heal()
        world.finish()

        kept = {str(token): amount for token, amount in Bonus.objects.values_list("token", "amount")}
        left = Bonus.objects.exclude(status=Bonus.Status.CONFIRMED).values_list("status", flat=True)
        assert on_the_way == []
        assert world.problems == []
        assert kept == world.owed
        assert list(left) == []
        assert payment_disagreements(world.account) == []


def run(world: Payments, *, most: int) -> None:
    def schedule_holds(schedule: list[tuple[Any, ...]]) -> None:
        keeps_its_promise(world, schedule)
        event(f"killed {min(world.killed, 3)} times")

    tried(most, is_long=most != IN_CI)(given(schedules)(schedule_holds))()


@pytest.mark.pure  # long enough to be run once
def test_any_schedule_pays_each_cent_once(payments: Payments) -> None:
    run(payments, most=IN_CI)


@pytest.mark.pure
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("who", [*OTHERS, "nobody: it dies", "nobody: it gives up"])
def test_payer_of_three_may_be_met_around_any_request(payments: Payments, who: str, after: bool) -> None:
    for place in range(3):
        if who.startswith("nobody"):
            gives_up = who.endswith("gives up")
            told: dict[str, Any] = {"given_up": place} if gives_up else {"calls": place, "after": after}
        else:
            told = {"meets": who, "calls": place, "after": after}
        keeps_its_promise(payments, [*THREE, ("pay", told), ("pay", None)])


@pytest.mark.long
def test_many_schedules_pay_each_cent_once(payments: Payments) -> None:
    run(payments, most=LONG)
