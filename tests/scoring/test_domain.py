import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import domain

pytestmark = pytest.mark.pure
words = st.frozensets(st.sampled_from("abcdefghij"))


@pytest.mark.parametrize(
    ("chosen", "predicted", "fooled"),
    [
        ("ab", "ab", 0),
        ("ab", "bc", 67),
        ("ab", "cd", 100),
        ("abc", "cde", 80),
        ("abc", "bcd", 50),
        ("abcd", "defg", 86),
        ("abcd", "cdef", 67),
        ("abcd", "bcde", 40),
        ("abcde", "efghi", 89),
        ("abcde", "defgh", 75),
        ("abcde", "cdefg", 58),
        ("abcde", "bcdef", 34),
    ],
)
def test_fool_the_ai_gives_the_attainable_scores_of_the_game(
    chosen: str, predicted: str, fooled: int
) -> None:
    assert domain.fool_the_ai(chosen=set(chosen), predicted=set(predicted)) == fooled


@given(words, words)
def test_jaccard_is_a_symmetric_share(left: frozenset[str], right: frozenset[str]) -> None:
    value = domain.jaccard(left, right)

    assert 0 <= value <= 1
    assert value == domain.jaccard(right, left)
    assert (value == 1) == (left == right)


@given(words, words)
def test_scores_add_up_to_one_hundred(chosen: frozenset[str], predicted: frozenset[str]) -> None:
    model = domain.model_score(chosen=chosen, predicted=predicted)
    fooled = domain.fool_the_ai(chosen=chosen, predicted=predicted)

    assert model + fooled == 100


def test_mean_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no mean of nothing"):
        domain.mean([])


@given(st.lists(st.sampled_from([0.1, 0.2, 0.3]), min_size=1, max_size=12), st.data())
def test_best_takes_k_and_leaves_nothing_better(scores: list[float], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(scores)))

    taken = domain.best(scores, k=k)

    left = set(range(len(scores))) - set(taken)
    assert len(taken) == k
    assert all(scores[place] >= scores[other] for place in taken for other in left)


def test_best_gives_ties_to_the_one_shown_first() -> None:
    assert domain.best([0.5, 0.9, 0.5, 0.5], k=3) == [0, 1, 2]


@pytest.mark.parametrize("k", [0, -1, 4])
def test_best_refuses_an_impossible_k(k: int) -> None:
    with pytest.raises(ValueError, match="k must be"):
        domain.best([0.1, 0.2, 0.3], k=k)
