"""Files of rows in every spelling, and every kind of wrong line."""

import json
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from hits.common.uploads import UploadedColumn, as_written, example_file, file_help, read_number
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.row_reader import read_uploaded

pytestmark = pytest.mark.pure
COLUMNS = (
    UploadedColumn(name="word", help="one word", example="sour", also=("noun",)),
    UploadedColumn(name="score", help="a number", example="0.5", read=read_number, needed=False),
)
QUOTED = "Put a field that holds the separator into quotation marks."
SAVE_AGAIN = "Save the file again as “CSV UTF-8”, and upload that."
LINES = "word,score\nsour,0.5\nsweet,\n"


class Refused(Exception):
    """The caller's own exception for a refused file."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__(*problems)
        self.problems = problems


def read(content: str | bytes | Path, **rules: Any) -> list[tuple[int, dict[str, Any]]]:
    problems = Problems(Refused)
    data = content.encode() if isinstance(content, str) else content
    values = {"columns": COLUMNS, "problems": problems, **rules}
    rows = [(row.line, dict(row.cells)) for row in read_uploaded(data, **values)]
    problems.refuse()
    return rows


def problems_of(content: str | bytes | Path, **rules: Any) -> list[str]:
    with pytest.raises(Refused) as refused:
        read(content, **rules)
    return refused.value.problems


def words(rows: Sequence[tuple[int, dict[str, Any]]]) -> list[str]:
    return [cells["word"] for _, cells in rows]


@pytest.mark.parametrize(
    "content",
    [
        LINES,
        LINES.encode("utf-16"),
        LINES.encode("utf-8-sig"),
        LINES.replace(",", ";"),
        LINES.replace(",", "\t"),
        LINES.replace(",", " , "),
        LINES.replace("\n", "\r\n"),
        LINES.replace("\n", "\r"),
        LINES.replace("word,score", '"Word", SCORE'),
        LINES.replace("word", "Noun"),
        'note,score,word\n=1+1,0.5,sour\n"two\nlines",,sweet',
        '{"word": "sour", "score": 0.5}\n{"noun": " sweet ", "more": [1]}',
        json.dumps([{"word": "sour", "score": "0.5"}, {"word": "sweet", "score": None}]),
    ],
)
def test_rows_of_every_spelling_are_read_alike(content: str | bytes) -> None:
    rows = read(content)

    assert [cells for _, cells in rows] == [{"word": "sour", "score": 0.5}, {"word": "sweet", "score": None}]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("\n \nword\n\nsour\n\n\nsweet\n", [5, 8]),
        ('word,note\nsour,"a\nb\nc"\nsweet,\n', [2, 5]),
        ('\n\n{"word": "sour"}\n\n{"word": "sweet"}', [3, 5]),
        ('\n[{"word": "sour"},\n\n{"word":\n"sweet"}\n]', [2, 4]),
        ('[{"word": "sour"}\n,{"word": "sweet"}\r\n]\n', [1, 2]),
    ],
)
def test_row_has_the_number_of_its_first_line(content: str, lines: list[int]) -> None:
    assert [line for line, _ in read(content)] == lines


def test_file_of_a_recording_may_have_no_rows(tmp_path: Path) -> None:
    file = tmp_path / "words.csv"
    file.write_text("word,score\n")
    (tmp_path / "nothing.csv").write_text("\n")

    assert read(file) == []
    assert problems_of(tmp_path / "nothing.csv") == ["nothing.csv: The file is empty."]


def test_file_of_a_recording_is_read_as_it_is_written_and_named(tmp_path: Path) -> None:
    file = tmp_path / "words.csv"
    file.write_text("word,score\n  sour ,0.5\nsweet\n,1\n")
    columns = [UploadedColumn(name="word", read=as_written), COLUMNS[1]]

    problems = Problems(Refused)
    rows = list(read_uploaded(file, columns=columns, problems=problems))

    assert [(row.place, row.cells["word"]) for row in rows] == [("words.csv, line 2", "  sour ")]
    assert problems.said == [
        f"words.csv, line 3: it has 1 fields, and the heading 2. {QUOTED}",
        "words.csv, line 4: word must not be empty.",
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("sour", f"Line 3: it has 1 fields, and the heading 2. {QUOTED}"),
        ("sour,1,", f"Line 3: it has 3 fields, and the heading 2. {QUOTED}"),
        (" ,1", "Line 3: word must not be empty."),
        ("sour,high", "Line 3: score is “high”, which is not a finite number."),
        ("sour,nan", "Line 3: score is “nan”, which is not a finite number."),
        ("so\0ur,1", "Line 3: word has a character in it that cannot be kept."),
        (
            '"sour,1',
            "Line 3 cannot be read (unexpected end of data). Look for a quotation mark that is not closed.",
        ),
    ],
)
def test_wrong_line_of_csv_is_named_behind_a_blank_one(line: str, problem: str) -> None:
    assert problems_of(f"word,score\n\n{line}\n") == [problem]


def test_each_wrong_cell_of_a_row_is_named() -> None:
    assert problems_of("word,score\n,high\n") == [
        "Line 2: word must not be empty.",
        "Line 2: score is “high”, which is not a finite number.",
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("[1]", "this is not a JSON object on one line."),
        ("{", "this is not a JSON object on one line."),
        ('{"word": true}', "word must be text."),
        ('{"word": ["sour"]}', "word must be text."),
        ('{"score": 1}', "word must not be empty."),
        ('{"word": "a", "word": "b"}', "“word” is named twice in one object."),
        ('{"word": "a", "Noun": "b"}', "These appear twice: word."),
        ('{"word": "\\ud800"}', "word has a character in it that cannot be kept."),
    ],
)
def test_wrong_line_of_json_is_named(line: str, problem: str) -> None:
    assert problems_of(f'{{"word": "sour"}}\n{line}') == [f"Line 2: {problem}"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "The file is empty."),
        (b" \n\t\n", "The file is empty."),
        (b"word,score\n\n", "The file has a heading and no line below it."),
        (b"[ ]", "The file has a heading and no line below it."),
        (b"score\n1", "The first line names the columns word and score. Each must appear once: word."),
        (b"word,Noun\na,b", "The first line names the columns word and score. Each must appear once: word."),
        (
            b"word,score,score\n",
            "The first line names the columns word and score. These appear twice: score.",
        ),
        (b'[\n{"word": ]', "Line 2, column 10: this is not JSON (Expecting value)."),
        (b'[{"word": "a"} {"word": "b"}]', "Line 1, column 16: this is not JSON (Expecting ',' delimiter)."),
        (b'[{"word": "a"}', "Line 1, column 15: this is not JSON (Expecting ',' delimiter)."),
        (b"[{}]\n]", "Line 2, column 1: this is not JSON (Extra data)."),
    ],
)
def test_file_that_cannot_be_read_is_refused(content: bytes, problem: str) -> None:
    assert problems_of(content) == [problem]


def test_list_names_each_item_by_its_line() -> None:
    assert problems_of('[\n1,\n{"word": ""}\n]') == [
        "Line 2: it must be an object with word.",
        "Line 3: word must not be empty.",
    ]


def test_columns_that_nobody_knows_are_refused_where_a_caller_says_so() -> None:
    head = "The first line names the columns word and score."

    assert problems_of("word,color,size\na,b,c", unknown=False) == [
        f"{head} It has unknown columns: color, size. Remove them."
    ]
    assert problems_of('{"word": "a", "color": 1}', unknown=False) == [
        "Line 1: It has unknown columns: color. Remove them."
    ]


def test_heading_has_one_whole_group_of_columns() -> None:
    groups = (("score",), ("low", "high"))
    head = "The first line names the columns word, score, low and high."
    columns = [*COLUMNS, *(UploadedColumn(name=name, needed=False) for name in ("low", "high"))]

    assert problems_of("word,low\na,1", columns=columns, any_of=groups) == [
        f"{head} It must have word, and score, or low and high."
    ]
    assert len(read("word,low,high\na,1,2", columns=columns, any_of=groups)) == 1
    assert len(read('{"word": "a", "low": 1}', columns=columns, any_of=groups)) == 1
    assert problems_of('{"word": "a"}', columns=columns, any_of=groups) == [
        "Line 1: It must have word, and score, or low and high."
    ]


def test_column_that_is_needed_may_have_empty_cells_where_a_caller_says_so() -> None:
    columns = [COLUMNS[0], UploadedColumn(name="note", may_be_empty=True)]

    assert read("word,note\nsour,\n", columns=columns) == [(2, {"word": "sour", "note": ""})]
    assert problems_of("word\nsour\n", columns=columns) == [
        "The first line names the columns word and note. Each must appear once: note."
    ]


def test_file_without_a_heading_is_read_by_place() -> None:
    assert words(read("sour\nsweet,1\nbitter,2,3\n", headed=False)) == ["sour", "sweet", "bitter"]
    assert words(read("score,noun\n1,sour", headed=False)) == ["sour"]
    assert problems_of("sour,1,2", headed=False, unknown=False) == [
        f"Line 1: it has 3 fields. A line has word. {QUOTED}"
    ]


def test_file_of_too_many_lines_is_refused() -> None:
    assert problems_of("word\na\n\nb\nc\n", most=2) == [
        "A file has at most 2 lines; this one has more. Cut it into several."
    ]
    assert words(read("word\na\n\n\n\nb\n", most=2)) == ["a", "b"]


def test_rows_are_read_one_at_a_time_and_the_file_stays_open() -> None:
    class Endless(BytesIO):
        told = 0

        def read(self, size: int | None = -1) -> bytes:
            self.told += 1
            return b"word\n" * 100

        read1 = read

    file = Endless()

    rows = read_uploaded(file, columns=COLUMNS, problems=Problems(Refused))
    assert [next(rows).line for _ in range(3)] == [2, 3, 4]
    rows.close()  # type: ignore[attr-defined]

    assert file.told < 5
    assert not file.closed


def test_example_can_be_uploaded_and_help_names_every_column() -> None:
    assert read(example_file(COLUMNS)) == [(2, {"word": "sour", "score": 0.5})]
    assert example_file(COLUMNS, ("a", "1"), ("b", "")) == "word,score\na,1\nb,\n"
    assert file_help(COLUMNS, more="More.") == (
        "CSV or JSON with the columns word (one word) and score (a number). More. "
        "Further columns are not read. If any line is wrong, nothing is added and every wrong line is named."
    )
