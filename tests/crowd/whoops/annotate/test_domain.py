"""Faults that keep three texts from being submitted, and oddities that only ask for confirmation."""

import pytest

from crowd.whoops.annotate.domain.annotation_texts import (
    LONGEST_TEXT,
    TEXTS,
    Fault,
    Oddity,
    Texts,
    find_faults,
    find_oddities,
    says_only_strange,
)
from tests.crowd.whoops.making_annotations import GOOD

pytestmark = pytest.mark.pure


def texts(**changes: str) -> Texts:
    return Texts(**{**GOOD, **changes})


def test_good_texts_have_no_fault_and_nothing_odd() -> None:
    assert find_faults(texts()) == {}
    assert list(find_oddities(texts())) == []


@pytest.mark.parametrize("entry", TEXTS)
@pytest.mark.parametrize("text", ["", "  ", "!?…", "___"])
def test_what_has_no_word_is_missing(entry: str, text: str) -> None:
    assert find_faults(texts(**{entry: text})) == {entry: Fault.MISSING}


@pytest.mark.parametrize(
    ("entry", "short", "enough"),
    [
        ("caption", "A kettle pours", "A kettle pours sand"),
        ("explanation", "Nobody drinks any sand", "Nobody ever drinks any sand"),
        ("underspecified", "A kettle", "A kettle pours"),
    ],
)
def test_few_words_are_too_short(entry: str, short: str, enough: str) -> None:
    assert find_faults(texts(**{entry: short})) == {entry: Fault.TOO_SHORT}
    assert find_faults(texts(**{entry: enough})) == {}


@pytest.mark.parametrize("entry", TEXTS)
def test_a_text_has_at_most_as_many_characters_as_its_column(entry: str) -> None:
    longest = "a b c d " + "e" * (LONGEST_TEXT - 8)

    assert find_faults(texts(**{entry: longest})) == {}
    assert find_faults(texts(**{entry: f"{longest}e"})) == {entry: Fault.TOO_LONG}


@pytest.mark.parametrize("entry", ["explanation", "underspecified"])
def test_the_caption_again_is_no_other_text(entry: str) -> None:
    again = "  a KETTLE pours “sand” into a cup "

    assert find_faults(texts(**{entry: again})) == {entry: Fault.SAME_AS_CAPTION}


@pytest.mark.parametrize(
    "text",
    [
        "It is very unusual to see this.",
        "This is a weird image.",
        "The scene is strange because it is not normal.",
        "That isn’t usual at all, quite odd.",
    ],
)
def test_an_explanation_that_only_says_unusual_is_odd(text: str) -> None:
    assert says_only_strange(text)
    assert list(find_oddities(texts(explanation=text))) == [("explanation", Oddity.SAYS_ONLY_STRANGE)]


@pytest.mark.parametrize(
    "text",
    [
        "Snails are too slow.",
        "It is unusual, because nobody drinks sand from kettles.",
        "A lighthouse warns ships, and there is no sea.",
    ],
)
def test_an_explanation_with_a_reason_is_not(text: str) -> None:
    assert not says_only_strange(text)


def test_an_underspecified_caption_longer_than_the_caption_is_odd() -> None:
    longer = "A kettle slowly pours something or other into a cup."

    assert list(find_oddities(texts(underspecified=longer))) == [
        ("underspecified", Oddity.LONGER_THAN_CAPTION)
    ]
    assert list(find_oddities(texts(underspecified="A kettle pours water into a cup."))) == []
