from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qualifications.domain.association_files import (
    LONGEST_WORD,
    Answer,
    FileRefused,
    LineRefused,
    fold,
    read_answer,
    read_layout,
)
from tests.qualifications.files import HEAD

pytestmark = pytest.mark.pure
STRENGTHS = read_layout(HEAD.encode())
COUNTS = read_layout(b"cue,response,count\n")


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        pytest.param("cue\tresponse\tR1\tN\tR1.Strength\n", "r1", id="first responses"),
        pytest.param("cue\tresponse\tR123\tN\tR123.Strength\r\n", "r123", id="all responses, CRLF"),
        pytest.param("\ufeffcue,response,R1,N,R1.Strength\n", "r1", id="commas and a byte order mark"),
        pytest.param('"cue"\t"response"\t"R123"\t"N"\t"R123.Strength"\n', "r123", id="quoted"),
        pytest.param("Response;Cue;Count", "counts", id="semicolons, another order, no end"),
    ],
)
def test_read_layout_knows_the_published_forms(line: str, kind: str) -> None:
    layout = read_layout(line.encode())

    assert layout.kind == kind
    assert {layout.cue, layout.response} == {0, 1}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param(b"word\tfrequency\n", "no file of associations", id="other columns"),
        pytest.param(b"cue\tresponse\tR123.Strength\n", "no file of associations", id="strengths alone"),
        pytest.param(b"cue\tresponse\tR1\tR123\tN\n", "not clear which column", id="both counts"),
        pytest.param(b"cue,cue,response,count\n", "Each column once", id="a column twice"),
        pytest.param(b"\n", "first line is empty", id="empty"),
        pytest.param(b"PK\x03\x04rest", "Unpack it", id="archive"),
        pytest.param("cue\tresponse\tR1".encode("utf-16"), "UTF-16", id="UTF-16"),
        pytest.param(b"cue\tr\xe9ponse\tR1\n", "not UTF-8", id="Latin-1"),
    ],
)
def test_read_layout_refuses_what_is_something_else(line: bytes, words: str) -> None:
    with pytest.raises(FileRefused, match=words):
        read_layout(line)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        pytest.param("yolk\tegg\t120\t264\t0.454", Answer("yolk", "egg", 120, 264), id="as published"),
        pytest.param("yolk\tegg\t120\t264\tNA\r", Answer("yolk", "egg", 120, 264), id="no strength"),
        pytest.param("yolk\tegg\t120\tNA\t", Answer("yolk", "egg", 120, 0), id="no total"),
        pytest.param('"yolk"\t"sunny side"\t1\t264\t0', Answer("yolk", "sunny side", 1, 264), id="quoted"),
        pytest.param('inch\t12"\t1\t264\t0', Answer("inch", '12"', 1, 264), id="a mark that quotes nothing"),
        pytest.param('say\t"hello\t1\t264\t0', Answer("say", '"hello', 1, 264), id="a mark left open"),
        pytest.param("NA\tnull\t1\t264\t0", Answer("na", "null", 1, 264), id="words that programs mistake"),
        pytest.param(
            " The  MOON\tNeil Armstrong \t3\t3\t1", Answer("the moon", "neil armstrong", 3, 3), id="folded"
        ),
        pytest.param("caf\u0065\u0301\tÉTÉ\t1\t2\t0", Answer("café", "été", 1, 2), id="accents in two ways"),
    ],
)
def test_read_answer_of_a_strength_file(line: str, answer: Answer) -> None:
    assert read_answer(f"{line}\n".encode(), layout=STRENGTHS) == answer


@pytest.mark.parametrize("line", [b"", b"\n", b"  \r\n"], ids=["empty", "line end", "blanks"])
def test_read_answer_passes_over_blank_lines(line: bytes) -> None:
    assert read_answer(line, layout=STRENGTHS) is None


def test_read_answer_of_counts_unquotes_as_csv_does() -> None:
    assert read_answer(b'"salt, ""pepper""",table,7\n', layout=COUNTS) == Answer(
        'salt, "pepper"', "table", 7, 0
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param(b"yolk\tegg\t120", "it has 3 fields, and the first line 5", id="too short"),
        pytest.param(b"a\tb\t1\t2\t0.5\tmore", "it has 6 fields", id="too long"),
        pytest.param(b"\tegg\t1\t2\t0.5", "the cue is missing", id="no cue"),
        pytest.param(b"yolk\t \t1\t2\t0.5", "the response is missing", id="no response"),
        pytest.param(b"yolk\tegg\t0\t2\t0", "above 0, and is “0”", id="nobody"),
        pytest.param(b"yolk\tegg\t1.5\t2\t0", "is “1.5”", id="a fraction"),
        pytest.param(b"yolk\tegg\t-1\t2\t0", "is “-1”", id="negative"),
        pytest.param(b"yolk\tegg\t999999999999\t2\t0", "whole number", id="more than fits"),
        pytest.param("yolk\tegg\t٣\t2\t0".encode(), "is “٣”", id="other digits"),
        pytest.param(b"yolk\tegg\t3\t2\t1.5", "3 of 2 people", id="more than were asked"),
        pytest.param(b"yolk\tegg\t3\tmany\t1", "N must be", id="no number asked"),
        pytest.param(b"yo\xfflk\tegg\t1\t2\t0.5", "not UTF-8", id="bytes that are no text"),
        pytest.param(b"yo\x00lk\tegg\t1\t2\t0.5", "control character", id="NUL"),
        pytest.param(
            b"y" * (LONGEST_WORD + 1) + b"\tegg\t1\t2\t0.5", "longer than 200", id="too long a word"
        ),
    ],
)
def test_read_answer_says_what_is_wrong(line: bytes, words: str) -> None:
    with pytest.raises(LineRefused, match=words):
        read_answer(line, layout=STRENGTHS)


def test_read_answer_of_counts_names_an_open_quotation_mark() -> None:
    with pytest.raises(LineRefused, match="not closed"):
        read_answer(b'"salt,table,7\n', layout=COUNTS)


@given(st.binary(max_size=300))
def test_read_answer_never_fails_in_another_way(line: bytes) -> None:
    for layout in (STRENGTHS, COUNTS):
        answer = None
        with suppress(LineRefused):
            answer = read_answer(line, layout=layout)
        assert answer is None or (answer.cue and answer.response and answer.people > 0)


@given(st.text(max_size=60))
def test_fold_is_done_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(max_size=30), st.text(max_size=30))
def test_fold_ignores_case(one: str, other: str) -> None:
    assert fold(f"{one} {other}") == fold(f"  {one}\t{other}\n")
