"""Uploads that are no rows: refused in words that can be shown, while memory stays flat."""

import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hits.common.uploads import UploadedColumn
from hits.common.uploads.file_problems import LONGEST_PROBLEM, MOST_PROBLEMS, Problems
from hits.common.uploads.row_reader import read_uploaded
from tests.crowd.pictures.images import archive, draw, encode

pytestmark = pytest.mark.pure
COLUMNS = (UploadedColumn(name="word"), UploadedColumn(name="note", needed=False))
TOO_LONG = "is too long: a row has at most 131,072 characters. Look for a quotation mark that is not closed."
NO_TEXT = "This is not a text file. Upload CSV or JSON."
SAVE_AGAIN = "Save the file again as “CSV UTF-8”, and upload that."
TOO_DEEP = "This JSON is nested too deeply, or holds a number that is too long."


class Refused(Exception):
    """The caller's own exception for a refused file."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(*problems)
        self.problems = problems


def rows(content: bytes, *, unknown: bool = True) -> list[str]:
    problems = Problems(Refused)
    found = read_uploaded(content, columns=COLUMNS, most=1_000, problems=problems, unknown=unknown)
    read = [row.cells["word"] for row in found]
    problems.refuse()
    return read


def problems_of(content: bytes, *, unknown: bool = True) -> list[str]:
    with pytest.raises(Refused) as refused:
        rows(content, unknown=unknown)
    assert all(one.isprintable() and len(one) <= LONGEST_PROBLEM + 1 for one in refused.value.problems)
    return refused.value.problems


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"word\n" + b"x" * 200_000, f"Line 2 {TOO_LONG}"),
        (b"x" * 200_000, f"Line 1 {TOO_LONG}"),
        (b"word" + b"," * 1_000_000, f"Line 1 {TOO_LONG}"),
        (b'word,note\nsour,"' + b"open\n" * 100_000, f"Line 2 {TOO_LONG}"),
        (b"word,note\nsour" + b',"\n"' * 100_000, f"Line 2 {TOO_LONG}"),
        (b'{"word": "' + b"x" * 200_000, f"Line 1 {TOO_LONG}"),
        (b"word\nsour\n\n\nsw\xe9et\n", f"Line 5 is not UTF-8 text. {SAVE_AGAIN}"),
        (b'[\n\n{"word": "sw\xe9et"}]', f"Line 3 is not UTF-8 text. {SAVE_AGAIN}"),
        ("word\nsour".encode("utf-16")[:-1], f"This is not UTF-16 text to its end. {SAVE_AGAIN}"),
        ("word\nsour".encode("utf-32"), NO_TEXT),
        ("word\nsour".encode("utf-16-le"), NO_TEXT),
        (b"\n\n\0\0\0word", NO_TEXT),
        (b"[" * 200_000, TOO_DEEP),
        (b'[{"word": ' + b"1" * 5_000 + b"}]", TOO_DEEP),
        (b'[{"word": "a", "word": "b"}]', "Line 1: “word” is named twice in one object."),
        (archive({"rows.csv": LINE}) if (LINE := b"word\nsour\n") else b"",
         "This is a workbook or an archive. Save the sheet as CSV, and upload that."),
        (encode(draw(), "PNG"), f"Line 1 is not UTF-8 text. {SAVE_AGAIN}"),
        (encode(draw(), "JPEG"), f"Line 1 is not UTF-8 text. {SAVE_AGAIN}"),
        (b"GIF89a\1\0\1\0\0\0\0;", NO_TEXT),
        (b"%PDF-1.7\n%", "The first line names the columns word and note. Each must appear once: word."),
    ],
    ids=[
        "huge cell", "huge heading", "million columns", "quote never closed", "row of many lines",
        "huge JSON", "latin", "latin list", "half UTF-16", "UTF-32", "UTF-16 unmarked", "NUL", "deep list",
        "long number",
        "name twice", "archive", "PNG", "JPEG", "GIF", "PDF",
    ],
)  # fmt: skip
def test_what_is_no_file_of_rows_is_refused(content: bytes, problem: str) -> None:
    assert problems_of(content) == [problem]


@pytest.mark.parametrize("line", [b"[" * 100_000, b'{"word": ' + b"1" * 5_000 + b"}", b'{"word"' + b":" * 99])
def test_bad_line_of_json_is_one_problem(line: bytes) -> None:
    assert problems_of(b'{"word": "sour"}\n' + line + b'\n{"word": "sweet"}') == [
        "Line 2: this is not a JSON object on one line."
    ]


def test_half_a_million_columns_within_a_row_are_counted_at_once() -> None:
    """The time grows with their number, not with its square."""
    (problem,) = problems_of(b"word," + b"a," * 60_000, unknown=False)

    assert problem.startswith("The first line names the columns word and note. It has unknown columns: a, .")


def test_strangers_are_named_shortly() -> None:
    names = ",".join(f"{'x' * 100}{number}" for number in range(1_000))

    (problem,) = problems_of(f"word,{names}\n".encode(), unknown=False)

    assert problem.count("x" * 40) == 5
    assert "and 995 more. Remove them." in problem


def test_ends_of_lines_may_be_mixed() -> None:
    assert rows(b'word,note\r\na,1\rb,2\nc,"3\r\n4"\r\n\n\r\rd,5') == ["a", "b", "c", "d"]


def test_formulas_are_texts_like_any_other() -> None:
    assert rows(b'word\n=1+1\n@SUM(A1)\n"=HYPERLINK(""x"")"\n') == ["=1+1", "@SUM(A1)", '=HYPERLINK("x")']


def test_spaces_and_blank_lines_without_end_are_no_rows() -> None:
    assert problems_of(b"word\n" + b" \n" * 200_000) == ["The file has a heading and no line below it."]


def test_problems_are_cut_and_cleaned_and_counted() -> None:
    problems = Problems(Refused)
    problems.say(f"\x1b[31m \ud800 \u202e {'x' * 1_000}")
    for _ in range(99):
        problems.say("another")

    said = problems.said

    assert said[0] == f"?[31m ? ? {'x' * (LONGEST_PROBLEM - 10)}…"
    assert (len(said), said[-1]) == (MOST_PROBLEMS + 1, "And 50 more.")


def peak_of(content: bytes) -> int:
    """Peak of memory in bytes, without the file itself."""
    file = BytesIO(content)
    tracemalloc.start()
    with suppress(Refused):
        for _ in read_uploaded(file, columns=COLUMNS, problems=Problems(Refused)):
            pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize(
    "write",
    [
        lambda count: b"word,note\n" + b"sour,\n" * count,
        lambda count: b'{"word": "sour"}\n' * count,
        lambda count: b"word\n" + b" \r\n\n\n" * count,
    ],
    ids=["csv", "json lines", "blank lines"],
)
def test_memory_stays_flat_however_long_the_file_is(write: Callable[[int], bytes]) -> None:
    assert peak_of(write(20_000)) < 80_000 < len(write(20_000))


@given(
    st.binary(max_size=200)
    | st.text(max_size=100).map(lambda text: f"word,note\n{text}".encode("utf-8", "replace"))
    | st.text(max_size=100).map(lambda text: f'[{{"word": "{text}"}}'.encode("utf-8", "replace"))
)
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    """No error but the caller's own is raised, and each problem can be shown."""
    problems: list[str] = []
    try:
        assert all(rows(content))
    except Refused as refused:
        problems = refused.problems

    assert all(problem.isprintable() for problem in problems)
