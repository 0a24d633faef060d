"""Texts that name columns: parsed once, filled once, and never run as a template."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.plain.domain.texts import BadText, columns_in, fill

pytestmark = pytest.mark.pure
names = st.from_regex(r"[a-z][a-z _0-9]{0,10}[a-z]", fullmatch=True).map(lambda name: " ".join(name.split()))
words = st.text(st.characters(exclude_characters="{}", exclude_categories=["Cs"]), max_size=20)


def test_column_is_replaced_whatever_its_letters_and_spaces() -> None:
    text = "Is “{{  First Word }}” like {{second}}?"

    assert columns_in(text) == {"first word", "second"}
    assert fill(text, {"first word": "cat", "second": "dog"}) == "Is “cat” like dog?"


def test_what_the_row_lacks_is_empty() -> None:
    assert fill("a{{ b }}c", {}) == "ac"


@given(st.dictionaries(names, st.text(max_size=30), min_size=1, max_size=4), words)
def test_what_a_row_has_is_never_read_again(cells: dict[str, str], between: str) -> None:
    """Cells that look like a column, a template tag or HTML are inserted as plain text."""
    row = {name: f"{{{{ {name} }}}}{{% now %}}<b>{value}" for name, value in cells.items()}
    text = between.join(f"{{{{ {name} }}}}" for name in row)

    assert fill(text, row) == between.join(row.values())


@given(words)
def test_text_without_braces_stays_as_it_is(text: str) -> None:
    assert fill(text, {"a": "b"}) == text
    assert columns_in(text) == set()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a {{ b", "without"),
        ("a {{ b {{ c }}", "without"),
        ("{{ }}", "no column is named"),
    ],
)
def test_bad_braces_are_told(text: str, reason: str) -> None:
    with pytest.raises(BadText, match=reason):
        fill(text, {})
