"""Rules of the marketplace that need no database."""

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.marketplace.domain import FEE_SCHEDULES, Counts, hit_status, new_id, round_half_up
from crowd.marketplace.parameter_validation import service_model
from crowd.marketplace.templatetags.durations import in_words

pytestmark = pytest.mark.pure

AMAZON = FEE_SCHEDULES["amazon"]
CENTS = st.integers(min_value=0, max_value=10_000_000).map(lambda cents: Decimal(cents) / 100)


@st.composite
def any_counts(draw: st.DrawFn) -> Counts:
    maximum = draw(st.integers(min_value=1, max_value=1_000))
    pending = draw(st.integers(min_value=0, max_value=maximum))
    return Counts(maximum=maximum, pending=pending, done=draw(st.integers(0, maximum - pending)))


@given(counts=any_counts())
def test_counts_every_place_is_available_pending_or_done(counts: Counts) -> None:
    assert counts.available + counts.pending + counts.done == counts.maximum
    assert counts.available >= 0


@pytest.mark.parametrize(
    ("pending", "done", "expired", "status"),
    [
        (0, 0, False, "Assignable"),
        (3, 0, False, "Assignable"),
        (3, 2, False, "Unassignable"),
        (2, 2, False, "Assignable"),
        (0, 5, False, "Reviewable"),
        (0, 0, True, "Reviewable"),
        (1, 0, True, "Unassignable"),
        (0, 3, True, "Reviewable"),
        (0, 5, True, "Reviewable"),
    ],
)
def test_hit_status_of_five_assignments(*, pending: int, done: int, expired: bool, status: str) -> None:
    counts = Counts(maximum=5, pending=pending, done=done)

    assert hit_status(counts=counts, expired=expired, reviewing=False, disposed=False) == status


@given(counts=any_counts(), reviewing=st.booleans())
def test_hit_status_expired_is_never_assignable(counts: Counts, *, reviewing: bool) -> None:
    status = hit_status(counts=counts, expired=True, reviewing=reviewing, disposed=False)

    assert status == ("Unassignable" if counts.pending else "Reviewing" if reviewing else "Reviewable")


@given(counts=any_counts(), expired=st.booleans())
def test_hit_status_reviewing_replaces_reviewable_only(counts: Counts, *, expired: bool) -> None:
    before = hit_status(counts=counts, expired=expired, reviewing=False, disposed=False)

    after = hit_status(counts=counts, expired=expired, reviewing=True, disposed=False)

    assert after == ("Reviewing" if before == "Reviewable" else before)


@given(counts=any_counts())
def test_hit_status_not_expired_is_assignable_while_a_place_is_left(counts: Counts) -> None:
    status = hit_status(counts=counts, expired=False, reviewing=False, disposed=False)

    assert (status == "Assignable") == (counts.available > 0)
    assert (status == "Unassignable") == (counts.available == 0 and counts.pending > 0)


@given(counts=any_counts(), expired=st.booleans(), reviewing=st.booleans())
def test_hit_status_disposed_is_final(counts: Counts, *, expired: bool, reviewing: bool) -> None:
    assert hit_status(counts=counts, expired=expired, reviewing=reviewing, disposed=True) == "Disposed"


@pytest.mark.parametrize(
    ("reward", "max_assignments", "fee"),
    [
        ("0.02", 1, "0.01"),
        ("1.00", 9, "0.20"),
        ("1.00", 10, "0.40"),
        ("0.00", 1, "0.01"),
        ("0.13", 1, "0.03"),
    ],
)
def test_fee_on_reward_is_amazons(reward: str, max_assignments: int, fee: str) -> None:
    assert AMAZON.on_reward(Decimal(reward), max_assignments=max_assignments) == Decimal(fee)


@pytest.mark.parametrize(
    ("bonus", "fee"), [("0.01", "0.01"), ("0.12", "0.02"), ("0.13", "0.03"), ("10", "2")]
)
def test_fee_on_bonus_is_amazons(bonus: str, fee: str) -> None:
    assert AMAZON.on_bonus(Decimal(bonus)) == Decimal(fee)


@given(reward=CENTS, max_assignments=st.integers(1, 10**9))
def test_fee_schedule_none_adds_nothing(reward: Decimal, max_assignments: int) -> None:
    fees = FEE_SCHEDULES["none"]

    assert fees.on_reward(reward, max_assignments=max_assignments) == 0
    assert fees.on_bonus(reward) == 0


@given(reward=CENTS, more=CENTS, max_assignments=st.integers(1, 100))
def test_fee_grows_with_the_reward_in_whole_cents(
    reward: Decimal, more: Decimal, max_assignments: int
) -> None:
    fee = AMAZON.on_reward(reward, max_assignments=max_assignments)

    assert fee == round_half_up(fee)
    assert fee >= Decimal("0.01")
    assert fee <= AMAZON.on_reward(reward + more, max_assignments=max_assignments)


@given(reward=CENTS)
def test_fee_of_ten_assignments_is_that_of_a_doubled_reward(reward: Decimal) -> None:
    assert AMAZON.on_reward(reward, max_assignments=10) == AMAZON.on_reward(2 * reward, max_assignments=9)


@pytest.mark.parametrize(
    ("amount", "rounded"), [("0.005", "0.01"), ("0.015", "0.02"), ("0.0149", "0.01"), ("0", "0.00")]
)
def test_round_half_up_never_to_even(amount: str, rounded: str) -> None:
    assert str(round_half_up(Decimal(amount))) == rounded


@given(length=st.integers(3, 64), prefix=st.sampled_from(["", "A", "XY"]))
def test_new_id_has_the_length_prefix_and_alphabet(length: int, prefix: str) -> None:
    made = new_id(length=length, prefix=prefix)

    assert len(made) == length
    assert re.fullmatch(f"{prefix}[A-Z0-9]*", made)


@pytest.mark.parametrize(("shape", "length", "prefix"), [("EntityId", 30, ""), ("CustomerId", 14, "A")])
def test_new_id_satisfies_the_service_model(shape: str, length: int, prefix: str) -> None:
    made = new_id(length=length, prefix=prefix)

    metadata = service_model().shape_for(shape).metadata

    assert re.fullmatch(metadata["pattern"], made)
    assert metadata["min"] <= len(made) <= metadata["max"]


def test_new_id_does_not_repeat() -> None:
    assert len({new_id() for _ in range(1_000)}) == 1_000


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (30, "30 seconds"),
        (61, "1 minute"),
        (900, "15 minutes"),
        (3_600, "1 hour"),
        (129_600, "1 day, 12 hours"),
        (777_600, "1 week, 2 days"),
        (31_536_000, "1 year"),
    ],
)
def test_in_words_says_the_two_largest_units(seconds: int, words: str) -> None:
    assert in_words(seconds).replace("\xa0", " ") == words
