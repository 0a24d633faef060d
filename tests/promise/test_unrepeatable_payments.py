"""The same schedules over a provider that cannot promise to pay once: each cent once, or a person decides.

Bonuses of one amount for one piece of work are worth the same. "Once" therefore means that exactly as many
are paid as are owed; which of two twins a payment was made for is nobody's loss.
"""

import os
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from hits.ledger.models.bonuses import Bonus
from tests.hits.payments.unrepeatable.unrepeatable_provider import LIST, PAY, PREPARE, put_behind_accounts
from tests.promise.agreement import book_disagreements
from tests.promise.often import in_ci, tried
from tests.promise.test_payments import (
    FAULTS,
    OTHERS,
    THREE,
    begun_anew,
    lives,
    number,
    play,
    schedules_of,
    steps,
)
from tests.promise.unrepeatable_payments import FOR_GOOD, UnrepeatablePayments
from tests.promise.world import Clock

pytestmark = pytest.mark.django_db
IN_CI = in_ci(200, by_hand=40)
LONG = int(os.environ.get("UNREPEATABLE_SCHEDULES", "2000"))
BEHIND = int(FOR_GOOD.total_seconds())

operations = st.sampled_from([PREPARE, PAY, PAY, LIST])
decide = st.tuples(st.just("decide"), number, lives)
lag = st.tuples(st.just("lag"), st.sampled_from([0, 3, 60, 4000, BEHIND, BEHIND]))
fault = st.tuples(st.just("fault"), st.sampled_from(FAULTS), operations, st.integers(1, 4))
waiting = st.tuples(st.just("turn"), st.sampled_from([400, 10_000]))
more_steps = st.one_of(steps, steps, decide, waiting, lag, fault)
# A list that is behind while payments are unclear is where one would be paid twice.
schedules = st.builds(
    lambda late, trouble, schedule: [late, *trouble, *schedule],
    lag,
    st.lists(fault, max_size=2),
    schedules_of(more_steps),
)


@pytest.fixture
def payments(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> UnrepeatablePayments:
    clock.ahead *= 0
    world = UnrepeatablePayments(clock=clock)
    put_behind_accounts(world.there, monkeypatch)
    return world


def keeps_its_promise(world: UnrepeatablePayments, schedule: list[tuple[Any, ...]]) -> None:
    with begun_anew(world):
        play(world, schedule)
        world.arrive()
        on_the_way = list(book_disagreements())

        world.heal()
        world.finish()
        world.count()

        left = Bonus.objects.exclude(status=Bonus.Status.CONFIRMED).values_list("status", "problem")
        kept = {str(token): amount for token, amount in Bonus.objects.values_list("token", "amount")}
        assert on_the_way == []
        assert world.problems == []
        assert kept == world.owed
        assert list(left) == []
        assert list(world.disagreements()) == []


def run(world: UnrepeatablePayments, *, most: int) -> None:
    def schedule_holds(schedule: list[tuple[Any, ...]]) -> None:
        keeps_its_promise(world, schedule)
        event(f"killed {min(world.killed, 3)} times")

    tried(most, is_long=most != IN_CI)(given(schedules)(schedule_holds))()
    print(", ".join(f"{name}: {count}" for name, count in sorted(world.figures.items())))  # noqa: T201


@pytest.mark.pure  # long enough to be run once
def test_any_schedule_pays_each_cent_once_though_nothing_promises_it(payments: UnrepeatablePayments) -> None:
    run(payments, most=IN_CI)


@pytest.mark.pure
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("lag", [0, BEHIND])
@pytest.mark.parametrize("who", [*OTHERS, "decide", "nobody: it dies", "nobody: it gives up"])
def test_payer_of_three_may_be_met_around_any_call(
    payments: UnrepeatablePayments, who: str, lag: int, after: bool
) -> None:
    for place in range(9):  # each of the three is looked for, set up and paid
        if who.startswith("nobody"):
            gives_up = who.endswith("gives up")
            told: dict[str, Any] = {"given_up": place} if gives_up else {"calls": place, "after": after}
        else:
            told = {"meets": who, "calls": place, "after": after}
        keeps_its_promise(payments, [*THREE, ("lag", lag), ("pay", told), ("pay", None)])


@pytest.mark.pure
@pytest.mark.parametrize("lag", [0, 60, BEHIND])
def test_payer_may_die_before_any_statement(payments: UnrepeatablePayments, lag: int) -> None:
    for place in range(60):
        keeps_its_promise(payments, [*THREE, ("lag", lag), ("pay", {"statements": place}), ("pay", None)])


@pytest.mark.long
def test_many_schedules_pay_each_cent_once_though_nothing_promises_it(payments: UnrepeatablePayments) -> None:
    run(payments, most=LONG)
