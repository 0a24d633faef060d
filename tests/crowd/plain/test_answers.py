"""Entries of a page: what is wrong with them, and what they become as data."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.plain.domain.answers import Wrong, entry_of, fault_of, values_of
from crowd.plain.domain.description_parser import read_page
from tests.crowd.plain.describing import WHOLE

pytestmark = pytest.mark.pure
PAGE = read_page(WHOLE).page
PARTS = {part.name: part for part in PAGE.questions}


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("natural", "", Wrong.MISSING),
        ("natural", "1", None),
        ("natural", "4", Wrong.NOT_OFFERED),
        ("natural", "yes", Wrong.NOT_OFFERED),
        ("natural", "1 2", Wrong.NOT_OFFERED),
        ("faults", "", None),
        ("faults", "2 1", None),
        ("faults", "1 1", Wrong.NOT_OFFERED),
        ("faults", "1 3", Wrong.NOT_OFFERED),
        ("sure", "6", Wrong.NOT_OFFERED),
        ("people", "", Wrong.MISSING),
        ("people", "many", Wrong.NO_NUMBER),
        ("people", "1e3", Wrong.NO_NUMBER),
        ("people", "٣", Wrong.NO_NUMBER),
        ("people", "2,5", Wrong.NOT_WHOLE),
        ("people", "3.0", None),
        ("people", "-1", Wrong.TOO_LITTLE),
        ("people", "51", Wrong.TOO_MUCH),
        ("why", "x" * 20, None),
        ("why", "x" * 21, Wrong.TOO_LONG),
    ],
)
def test_fault_of_an_entry(name: str, text: str, wrong: Wrong | None) -> None:
    assert fault_of(PARTS[name], text) == wrong


def test_values_are_codes_figures_and_texts() -> None:
    texts = {"q1": "3", "q2": "2 1", "q3": "4", "q4": "7", "q5": "Because."}

    assert values_of(PAGE, texts) == {
        "natural": "unsure",
        "faults": ("grammar", "spelling"),
        "sure": 4,
        "people": Decimal(7),
        "why": "Because.",
    }


def test_what_was_not_answered_or_does_not_fit_is_left_out() -> None:
    assert values_of(PAGE, {"q1": "9", "q2": "7", "q3": "", "q99": "1"}) == {}


def test_none_of_several_choices_is_an_answer_where_anything_was_seen() -> None:
    assert values_of(PAGE, {"q3": "4"}) == {"sure": 4, "faults": ()}
    assert values_of(PAGE, {}) == {}


@given(st.dictionaries(st.integers(1, 9).map(entry_of), st.text(max_size=12)))
def test_values_are_those_without_a_fault(texts: dict[str, str]) -> None:
    found = values_of(PAGE, texts)

    for place, part in enumerate(PAGE.questions, start=1):
        text = texts.get(entry_of(place), "")
        if part.name != "faults":
            assert (part.name in found) == (text != "" and fault_of(part, text) is None)
