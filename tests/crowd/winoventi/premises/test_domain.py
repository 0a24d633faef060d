import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.winoventi.domain.premises import Fault, Premise, find_fault, find_warnings, read_premise
from crowd.winoventi.domain.premises import Warning as Notice

pytestmark = pytest.mark.pure
GOOD = "Jim was [early / late] for work."
WORDS = st.text(st.characters(categories=["L"]), min_size=1, max_size=12)


def premise(sentence: str = GOOD, generic_word: str = "early", exception_word: str = "late") -> Premise:
    return read_premise(sentence=sentence, generic_word=generic_word, exception_word=exception_word)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  Jim  was [early / late] ", "Jim was [early / late]."),
        ("Was Jim [early/late]?", "Was Jim [early/late]?"),
        ("Jim was [early/late]!", "Jim was [early/late]!"),
        ("“Jim was [early/late].”", "“Jim was [early/late].”"),
        ("Jim was [early/late]", "Jim was [early/late]."),
        ("", ""),
        ("N/A", "N/A"),
    ],
)
def test_a_sentence_gets_single_spaces_and_the_full_stop_that_is_missing(typed: str, kept: str) -> None:
    assert premise(typed).sentence == kept


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({}, None),
        ({"sentence": "N/A", "generic_word": "N/A", "exception_word": "N/A"}, Fault.NOT_AVAILABLE),
        ({"sentence": "na."}, Fault.NOT_AVAILABLE),
        ({"sentence": " "}, Fault.NO_SENTENCE),
        ({"sentence": "Jim was [early/late] " + "x" * 500}, Fault.TOO_LONG),
        ({"sentence": "Jim was early/late."}, Fault.NOT_ONE_BRACKET),
        ({"sentence": "Jim was [early/late}."}, Fault.NOT_ONE_BRACKET),
        ({"sentence": "[Jim/Kim] was [early/late]."}, Fault.NOT_ONE_BRACKET),
        ({"sentence": "Jim was ]early/late[."}, Fault.NOT_ONE_BRACKET),
        ({"sentence": "Jim was [[early/late]]."}, Fault.NOT_ONE_BRACKET),
        ({"sentence": "Jim was [early, late]."}, Fault.NOT_TWO_WORDS),
        ({"sentence": "Jim was [early/late/there]."}, Fault.NOT_TWO_WORDS),
        ({"sentence": "Jim was [early/ ]."}, Fault.NOT_TWO_WORDS),
        ({"sentence": "Jim [turned on/threw away] it."}, Fault.BRACKET_WORD_IS_LONG),
        ({"sentence": "Jim was [Late/late]."}, Fault.SAME_IN_BRACKET),
        ({"generic_word": ""}, Fault.WORD_MISSING),
        ({"generic_word": "very early"}, Fault.WORD_IS_LONG),
        ({"generic_word": "LATE"}, Fault.SAME_WORD),
    ],
)
def test_the_first_fault_is_named(changes: dict[str, str], fault: Fault | None) -> None:
    assert find_fault(premise(**changes)) == fault


@pytest.mark.parametrize(
    ("changes", "warnings"),
    [
        ({}, []),
        ({"sentence": "Jim was [Late / early]."}, [Notice.ORDER_DIFFERS]),
        ({"generic_word": "punctual"}, [Notice.WORDS_DIFFER]),
        ({"sentence": "It was [right/late].", "generic_word": "right"}, [Notice.OUTCOME_WORD]),
        (
            {"sentence": "It was [late/early].", "generic_word": "wrong"},
            [Notice.WORDS_DIFFER, Notice.OUTCOME_WORD],
        ),
    ],
)
def test_what_does_not_bind_is_only_warned_of(changes: dict[str, str], warnings: list[Notice]) -> None:
    assert find_warnings(premise(**changes), generic="right", exception="wrong") == warnings


def test_a_prompt_has_the_word_and_none_of_the_bracket() -> None:
    assert premise().with_word("late") == "Jim was late for work."
    assert premise("[Early / Late] he came").with_word("late") == "Late he came."


@given(before=WORDS, one=WORDS, other=WORDS, after=WORDS)
def test_every_sentence_of_this_shape_is_fit(before: str, one: str, other: str, after: str) -> None:
    made = premise(f"{before} [{one} / {other}] {after}", one, other)

    fault = find_fault(made)

    assert fault in (None, Fault.SAME_IN_BRACKET)
    assert made.bracket == (one, other)
    assert made.with_word(one).split() == [before, one, f"{after}."]


@given(st.text(max_size=80), st.text(max_size=10), st.text(max_size=10))
def test_reading_is_done_once_and_never_breaks(sentence: str, one: str, other: str) -> None:
    made = premise(sentence, one, other)

    assert read_premise(**vars(made)) == made
    if find_fault(made) is None:
        assert made.bracket
        find_warnings(made, generic="right", exception="wrong")
