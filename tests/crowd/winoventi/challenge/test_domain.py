from fractions import Fraction

import pytest

from crowd.winoventi.challenge.domain.sentence_lengths import Place, Third, mean_length, place_of, thirds

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("sentence", "place", "third"),
    [
        ("[Rotten / Fresh] apples lay there.", Place(before=0, length=4), Third.FIRST),
        ("She [ate / threw] it.", Place(before=1, length=3), Third.MIDDLE),
        ("She took a [ spoon / saw ].", Place(before=3, length=4), Third.LAST),
        ("She took a [spoon/saw] .", Place(before=3, length=4), Third.LAST),
        ("It was [hot/cold] - very - there!", Place(before=2, length=5), Third.MIDDLE),
        ("[Yes / No].", Place(before=0, length=1), Third.MIDDLE),
        ("Her - un[lucky / happy]'s hat fell off.", Place(before=1, length=5), Third.FIRST),
    ],
    ids=["first", "middle", "last", "mark apart", "dashes are no words", "alone", "glued"],
)
def test_place_of_counts_words_and_the_bracket_as_one(sentence: str, place: Place, third: Third) -> None:
    assert place_of(sentence) == place
    assert place.third == third


def test_mean_length_and_thirds_over_all() -> None:
    places = [Place(before=0, length=4), Place(before=3, length=4), Place(before=2, length=3)]

    assert mean_length(places) == Fraction(11, 3)
    assert thirds(places) == {Third.FIRST: 1, Third.MIDDLE: 0, Third.LAST: 2}


def test_mean_length_of_nothing_is_unknown() -> None:
    assert mean_length([]) is None
    assert thirds([]) == {Third.FIRST: 0, Third.MIDDLE: 0, Third.LAST: 0}
