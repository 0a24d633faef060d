import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.questions.domain import SPACES, trim
from crowd.winoventi.domain import words

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("typed", "word"),
    [("inedible", "inedible"), ("  Inedible\t", "inedible"), ("ice-cold", "ice-cold"), ("Molly", "molly")],
)
def test_a_word_is_trimmed_and_small_and_never_corrected(typed: str, word: str) -> None:
    assert words.read_word(typed) == word


@pytest.mark.parametrize("typed", ["", "   ", "turned on", "turned\non", "x" * 65])
def test_a_word_without_letters_or_with_a_space_is_none(typed: str) -> None:
    with pytest.raises(ValueError, match="word"):
        words.read_word(typed)


@pytest.mark.parametrize(
    ("typed", "is_na"), [("N/A", True), (" n/a ", True), ("NA", True), ("nab", False), ("", False)]
)
def test_na_is_known_in_any_case(typed: str, is_na: bool) -> None:
    assert words.is_na(typed) is is_na


@given(st.text())
def test_what_is_one_word_reads_as_one_without_spaces(typed: str) -> None:
    if words.is_one_word(typed):
        assert not SPACES.search(words.read_word(typed))
    else:
        with pytest.raises(ValueError, match="word"):
            words.read_word(typed)


@given(st.text())
def test_trimming_twice_is_trimming_once(typed: str) -> None:
    once = trim(typed)

    assert trim(once) == once
    assert words.are_same(typed, once)
