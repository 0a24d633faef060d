"""A model's scores as a file: both forms, both formats, and every wrong line."""

from contextlib import suppress
from dataclasses import replace
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.winoground.domain.caption_scores import PairScores
from crowd.winoground.models import Project
from crowd.winoground.services.score_files import KnownExamples
from crowd.winoground.services.uploading import SCORES
from hits.core.errors import InvalidItems
from hits.data.services.model_results import read_results

pytestmark = pytest.mark.pure
ID = "0a5e2f3c-0000-4000-8000-00000000000a"
QUOTED = "Put a field that holds the separator into quotation marks."
WANTED = "It must have example, and c0_i0, c0_i1, c1_i0 and c1_i1, or caption, image and score."
KNOWN = KnownExamples(examples={"1": 11, ID: 11, "2": 12}, others={"3": "a draft"})
RESULTS = replace(SCORES, subjects=lambda _: KNOWN)
LONG = "example,caption,image,score\n1,0,0,.9\n1,0,1,.1\n1,1,0,.2\n1,1,1,.8\n"
FOUR = PairScores(0.9, 0.1, 0.2, 0.8)


def read(text: str | bytes) -> dict[int, PairScores]:
    file = BytesIO(text.encode() if isinstance(text, str) else text)
    found = read_results(RESULTS, file, of=Project())
    return {example: PairScores(*(found[example, place] for place in range(4))) for example, _ in found}


def problems_of(text: str | bytes) -> list[str]:
    with pytest.raises(InvalidItems) as refusal:
        read(text)
    return list(refusal.value.problems)


@pytest.mark.parametrize(
    "text",
    [
        LONG,
        LONG.replace("\n", "\r\n"),
        "\ufeff" + LONG,
        "\n\n" + LONG,
        LONG.replace("\n1,", f"\n{ID.upper()},"),
        'example,caption_0,c0_i0,c0_i1,c1_i0,c1_i1\n1,"a, b\nc",.9,.1,.2,.8\n',
        "C1_I1,Example,c0_i0,c0_i1,c1_i0\n.8, 1 ,.9,.1,.2",
        '{"example": 1, "c0_i0": 0.9, "c0_i1": 0.1, "c1_i0": 0.2, "c1_i1": 0.8, "more": [1]}\n',
        (
            '{"example": "1", "caption": 0, "image": 0, "score": 0.9}\n\n'
            '{"example": "1", "caption": "0", "image": 1, "score": "0.1"}\n'
            '{"example": 1, "c1_i0": 0.2, "c1_i1": 0.8}'
        ),
    ],
    ids=["long", "CRLF", "mark", "blank lines", "id", "wide", "any order", "JSON wide", "JSON mixed"],
)  # fmt: skip
def test_scores_are_read_in_every_form(text: str) -> None:
    assert read(text) == {11: FOUR}


def test_an_example_whose_cells_are_empty_is_left_out() -> None:
    assert read("example,c0_i0,c0_i1,c1_i0,c1_i1\n1,.9,.1,.2,.8\n2,,,,\n") == {11: FOUR}


def test_scores_may_be_negative_large_and_equal() -> None:
    found = read("example,c0_i0,c0_i1,c1_i0,c1_i1\n1,-1e300,-0.5,3,3\n")

    assert found == {11: PairScores(-1e300, -0.5, 3.0, 3.0)}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("9,0,0,1", "Line 6: there is no example “9”. Give its number or its id."),
        ("3,0,0,1", "Line 6: example 3 is a draft. Only those that workers are asked about are scored."),
        (",0,0,1", "Line 6: example must not be empty."),
        ("2,2,0,1", "Line 6: caption is “2”; it must be 0 or 1."),
        ("2,0,A,1", "Line 6: image is “A”; it must be 0 or 1."),
        ("2,0,0,nan", "Line 6: score is “nan”, which is not a finite number."),
        ("2,0,0,-inf", "Line 6: score is “-inf”, which is not a finite number."),
        ("2,0,0,1e999", "Line 6: score is “1e999”, which is not a finite number."),
        ("2,0,0,1_0", "Line 6: score is “1_0”, which is not a finite number."),
        ("2,0,0,high", "Line 6: score is “high”, which is not a finite number."),
        ("2,0,0,", "Line 6: give all of caption, image, score."),
        ("1,0,0,.9", "Line 6: c0_i0 of example 1 is in line 2 already."),
        ("2,0,0", f"Line 6: it has 3 fields, and the heading 4. {QUOTED}"),
        ("2,0,0,1", "Example 2: add c0_i1, c1_i0, c1_i1, or leave the example out."),
    ],
)
def test_wrong_line_of_csv_is_named(line: str, problem: str) -> None:
    assert problems_of(LONG + line) == [problem]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("[1]", "Line 2: this is not a JSON object on one line."),
        ("{", "Line 2: this is not a JSON object on one line."),
        ("[" * 100_000, "Line 2: this is not a JSON object on one line."),
        ('{"example": 2}', f"Line 2: {WANTED}"),
        ('{"example": 2, "c0_i0": NaN}', "Line 2: c0_i0 is “nan”, which is not a finite number."),
        ('{"example": 2, "c0_i0": -Infinity}', "Line 2: c0_i0 is “-inf”, which is not a finite number."),
        ('{"example": 2, "c0_i0": true}', "Line 2: c0_i0 is “True”, which is not a finite number."),
        ('{"example": 2, "c0_i0": [1]}', "Line 2: c0_i0 is “[1]”, which is not a finite number."),
        ('{"example": 2, "caption": true, "image": 0, "score": 1}',
         "Line 2: caption is “True”; it must be 0 or 1."),
        (r'{"example": "\ud800", "c0_i0": 1}',
         "Line 2: example has a character in it that cannot be kept."),
        (r'{"example": 2, "c0_i0": "\ud800"}', "Line 2: c0_i0 is “?”, which is not a finite number."),
        ('{"example": true, "c0_i0": 1}', "Line 2: example must be text."),
    ],
)  # fmt: skip
def test_wrong_line_of_json_is_named(line: str, problem: str) -> None:
    first = '{"example": 1, "c0_i0": 0.9, "c0_i1": 0.1, "c1_i0": 0.2, "c1_i1": 0.8}\n'

    assert problems_of(first + line) == [problem]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "The file is empty."),
        ("\n \n", "The file is empty."),
        ("example,caption,image,score\n", "The file has a heading and no line below it."),
        ("example,caption,image,score\n1,,,\n", "The file has no scores."),
        (
            b"example,caption,image,score\n1,0,0,\xff\n",
            "Line 2 is not UTF-8 text. Save the file again as “CSV UTF-8”, and upload that.",
        ),
        (
            'example,caption,image,score\n1,0,0,".9\n',
            "Line 2 cannot be read (unexpected end of data). Look for a quotation mark that is not closed.",
        ),
    ],
)
def test_file_without_scores_is_refused(text: str | bytes, problem: str) -> None:
    assert problems_of(text) == [problem]


@pytest.mark.parametrize("head", ["example,score", "1,0,0,.9", "example,example,caption,image,score"])
def test_first_line_must_name_the_columns(head: str) -> None:
    (problem,) = problems_of(f"{head}\n1,0,0,.9\n")

    assert problem.startswith(
        "The first line names the columns example, c0_i0, c0_i1, c1_i0, c1_i1, caption, image and score. "
    )
    assert problem.endswith((WANTED, "Each must appear once: example."))


def test_every_wrong_line_is_named_up_to_fifty() -> None:
    problems = problems_of(LONG + "9,0,0,1\n" * 60)

    assert problems[0] == "Line 6: there is no example “9”. Give its number or its id."
    assert problems[49].startswith("Line 55:")
    assert problems[50:] == ["And 10 more."]


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    """Reading raises no other error than InvalidItems, which names the lines."""
    with suppress(InvalidItems):
        read(content)
