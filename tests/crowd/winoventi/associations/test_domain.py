import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.winoventi.associations.domain.generics import Candidate, bend_of, choose, cuts_by_bend, generics_of
from crowd.winoventi.domain import KS
from crowd.winoventi.domain.prompts import Template, challenge, prompt, statement

pytestmark = pytest.mark.pure
NUMBERS = st.lists(st.floats(1, 1e6), max_size=40)
READINGS = {
    Template.IS: ["sweet", "good", "edible", "dark", "here"],
    Template.IS_NOT: ["sweet", "edible", "there", "good", "gone"],
    Template.IS_COMMA: ["edible", "warm", "old", "new", "dead"],
    Template.IS_NOT_COMMA: ["sweet", "warm", "edible", "dead", "far"],
}


def candidates(*perplexities: float, k: int = 1) -> list[Candidate]:
    return [Candidate(name=number, k=k, perplexity=value) for number, value in enumerate(perplexities)]


def test_a_generic_is_what_both_templates_of_one_mark_share_at_its_smallest_k() -> None:
    found = generics_of(READINGS, ks=KS)

    assert found == {"sweet": 1, "edible": 3, "warm": 3, "good": 5, "dead": 5}
    assert generics_of(READINGS, ks=(1,)) == {"sweet": 1}


def test_templates_that_were_not_read_find_nothing() -> None:
    assert generics_of({Template.IS: ["sweet"], Template.IS_NOT_COMMA: ["sweet"]}, ks=KS) == {}


@given(st.lists(st.sampled_from("abcdefgh"), max_size=8), st.lists(st.sampled_from("abcdefgh"), max_size=8))
def test_more_k_finds_more_and_moves_nothing(affirmative: list[str], negated: list[str]) -> None:
    readings = {Template.IS: affirmative, Template.IS_NOT: negated}

    few, many = generics_of(readings, ks=(1, 3)), generics_of(readings, ks=(1, 3, 5))

    assert few.items() <= many.items()


@pytest.mark.parametrize(
    ("values", "bend"),
    [
        ([], None),
        ([5, 9], None),
        ([4, 4, 4, 4], None),
        ([1, 2, 3, 4], None),  # a straight line has no bend
        ([1, 9, 10, 10], None),  # neither does one that turns from steep to flat
        ([1, 2, 3, 4, 5, 50, 100], 5),
        ([100, 5, 3, 1, 2, 50, 4], 5),
    ],
)
def test_the_bend_is_where_the_curve_turns_steep(values: list[float], bend: float | None) -> None:
    assert bend_of(values) == bend


@given(NUMBERS)
def test_a_bend_is_one_of_the_values_and_no_matter_of_their_order(values: list[float]) -> None:
    bend = bend_of(values)

    assert bend is None or bend in values
    assert bend_of(values[::-1]) == bend


def test_what_is_kept_stays_below_the_cut_of_its_k_and_comes_by_k() -> None:
    rows = candidates(9, 1, 2, 3, 80, k=3) + candidates(7, 900, k=1)

    kept = choose(rows, cuts=cuts_by_bend(rows, ks=(1, 3)))

    assert [(row.k, row.perplexity) for row in kept] == [(1, 7), (1, 900), (3, 1), (3, 2), (3, 3)]


def test_more_than_are_to_be_posted_are_cut_once_more() -> None:
    rows = candidates(1, 2, 3, 4, 5, 50, 100)

    assert len(choose(rows, cuts={}, most=7)) == 7
    assert [row.perplexity for row in choose(rows, cuts={}, most=6)] == [1, 2, 3, 4]


def test_the_sentences_of_a_noun() -> None:
    assert [prompt("robin", template=one) for one in Template] == [
        "The robin is [MASK].",
        "The robin is not [MASK].",
        "The robin is [MASK],",
        "The robin is not [MASK],",
    ]
    assert statement("apple", "edible") == "The apple is edible."
    assert challenge("It was rotten.", noun="apple") == "It was rotten. The apple is [MASK]."
