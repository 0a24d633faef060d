"""How surprising missed attention items are, beside the middle of a crowd."""

import pytest
from scipy.stats import betabinom

from scoring.quality.attention_shares import ALIKE, Attention, attention_surprise, middle_share
from scoring.quality.surprises import of_chance

pytestmark = pytest.mark.pure


def people(*counts: tuple[int, int]) -> list[Attention]:
    return [Attention(met=met, right=right) for met, right in counts]


@pytest.mark.parametrize("share", [0.6, 0.9, 0.97])
@pytest.mark.parametrize(("met", "right"), [(1, 0), (6, 3), (12, 11), (40, 20)])
def test_surprise_is_the_lower_end_of_a_beta_binomial_distribution(
    share: float, met: int, right: int
) -> None:
    chance = betabinom.cdf(right, met, share * ALIKE, (1 - share) * ALIKE)

    found = attention_surprise(Attention(met=met, right=right), middle=share)

    assert found == pytest.approx(of_chance(chance), rel=1e-6)


def test_the_middle_is_where_as_many_are_above_as_below() -> None:
    """Whoever has met one item stands in the middle of those who did alike."""
    assert middle_share(people(*[(1, 1)] * 3, (1, 0))) == pytest.approx(0.75, abs=1e-4)


def test_a_third_who_guess_move_the_middle_less_than_they_move_the_mean() -> None:
    honest = [(10, 10)] * 12 + [(10, 9)] * 6 + [(10, 8)] * 2
    guessing = [(10, 5)] * 10
    alone, beside = middle_share(people(*honest)), middle_share(people(*honest, *guessing))

    means = [sum(right for _, right in crowd) / (10 * len(crowd)) for crowd in (honest, honest + guessing)]
    assert alone == pytest.approx(means[0], abs=0.01)
    assert alone - beside < 0.7 * (means[0] - means[1])


def test_nobody_is_held_to_more_than_98_of_100() -> None:
    assert middle_share(people(*[(50, 50)] * 9)) == pytest.approx(0.98)
    assert attention_surprise(Attention(met=50, right=49), middle=0.98) < 0.5


def test_few_items_surprise_little_and_many_misses_much() -> None:
    once, half = Attention(met=1, right=0), Attention(met=8, right=4)

    assert attention_surprise(once, middle=0.95) == pytest.approx(of_chance(0.05), rel=1e-6)
    assert attention_surprise(half, middle=0.95) > 2.5
