"""The rules of the statistics, worked out by hand."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.whoops.annotate.domain.text_lengths import lengths_of
from crowd.whoops.judge.domain.caption_errors import PATTERNS, Rights, count_patterns
from crowd.whoops.judge.domain.votes import Share, Votes, accepted, agree, unanimity
from crowd.whoops.results.domain.specificity import is_ranked_rightly, shares_by_image, specificity

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("yes", "of", "majority", "is_unanimous"),
    [
        (3, 3, True, True),
        (2, 3, True, False),
        (1, 3, False, False),
        (0, 3, False, True),
        (2, 4, None, False),
        (3, 4, True, False),
        (1, 1, True, True),
        (0, 0, None, False),
    ],
)
def test_majority_is_more_than_half_and_a_split_is_none(
    yes: int, of: int, majority: bool | None, is_unanimous: bool
) -> None:
    votes = Votes(yes=yes, of=of)

    assert (votes.majority, votes.is_unanimous) == (majority, is_unanimous)


def test_split_agrees_with_nothing() -> None:
    rows = [
        (Votes(yes=3, of=3), True),
        (Votes(yes=1, of=3), True),
        (Votes(yes=0, of=3), False),
        (Votes(yes=1, of=2), False),
    ]

    found = agree(rows)

    assert found.right == Share(right=2, of=4)
    assert found.unanimous == Share(right=2, of=4)
    assert found.splits == 1


def test_accepted_and_unanimous_count_each_option_once() -> None:
    votes = [Votes(yes=2, of=3), Votes(yes=3, of=3), Votes(yes=1, of=3), Votes(yes=1, of=2)]

    assert accepted(votes) == Share(right=2, of=4)
    assert unanimity(votes) == Share(right=1, of=4)


def test_interval_is_wilsons() -> None:
    # Newcombe 1998, example: 81 of 263 gives 0.2553 to 0.3662.
    low, high = Share(right=81, of=263).interval or (0, 0)

    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)


def test_interval_of_none_and_all_stays_within_bounds() -> None:
    none, every = Share(right=0, of=10).interval, Share(right=10, of=10).interval

    assert none is not None
    assert every is not None
    assert (none[0], round(none[1], 4)) == (0.0, 0.2775)
    assert (round(every[0], 4), round(every[1], 9)) == (0.7225, 1.0)
    assert Share(right=0, of=0).interval is None
    assert Share(right=0, of=0).value is None


@given(st.integers(1, 500).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_interval_holds_the_share(counted: tuple[int, int]) -> None:
    right, of = counted

    low, high = Share(right=right, of=of).interval or (1, 0)

    assert 0 <= low <= right / of + 1e-12
    assert right / of - 1e-12 <= high <= 1


def test_patterns_of_caption_errors_are_eight_and_all_are_named() -> None:
    scenes = [Rights(True, True, True)] * 3 + [Rights(False, True, True)] * 2 + [Rights(True, False, False)]

    counts = count_patterns(scenes)

    assert list(counts.values()) == [3, 2, 0, 0, 0, 0, 0, 1]
    assert len(PATTERNS) == len(set(PATTERNS.values())) == 8


@pytest.mark.parametrize(
    ("detailed", "underspecified", "is_right"), [(0.8, 0.4, True), (0.4, 0.8, False), (0.5, 0.5, False)]
)
def test_tie_is_ranked_wrongly(detailed: float, underspecified: float, is_right: bool) -> None:
    assert is_ranked_rightly(detailed=detailed, underspecified=underspecified) is is_right


def test_specificity_is_over_pairs_and_its_mean_over_images() -> None:
    pairs = [(1, 0.9, 0.1), (1, 0.8, 0.1), (1, 0.1, 0.1), (2, 0.0, 0.5)]

    found = specificity(shares_by_image(pairs).values())

    assert found.pairs == Share(right=2, of=4)
    assert (found.images, found.mean_of_images) == (2, Fraction(1, 3))
    assert specificity([]).mean_of_images is None


def test_lengths_count_words_and_different_ones() -> None:
    found = lengths_of(["A fish, a fish!", "A FISH a fish", "Snow"])

    assert (found.texts, found.unique, found.vocabulary) == (3, 2, 3)
    assert (found.mean, found.middle, found.shortest, found.longest) == (Fraction(3), 4.0, 1, 4)
    assert lengths_of([]).mean is None
