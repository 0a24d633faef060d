"""A filled form: its problems, in words for the worker, and the answer that it becomes."""

from collections.abc import Mapping, Sequence
from time import perf_counter

import pytest
from defusedxml.ElementTree import fromstring

from crowd.marketplace.errors import ParameterValidationError
from crowd.marketplace.questions import ANSWERS, read_answers, read_form
from crowd.marketplace.questions.filled_forms import (
    File,
    find_problems,
    name_of_file,
    read_given,
    write_given,
)
from tests.crowd.marketplace.forms import FILE, form, free_text, most, pattern, question, selection

pytestmark = pytest.mark.pure

OTHER = "<OtherSelection><Constraints><Length maxLength='5'/></Constraints></OtherSelection>"
NO_FILES: Mapping[str, File] = {}


def problem(
    answer: str,
    *values: str,
    other: str = "",
    required: bool = False,
    files: Mapping[str, File] = NO_FILES,
) -> str:
    """Problem with these values of a form's only question, or an empty text."""
    read = read_form(form(question(answer, required=required)))
    fields: dict[str, Sequence[str]] = {"q0": values, "q0.other": [other]}
    return find_problems(read, read_given(read, fields, files)).get("q", "")


@pytest.mark.parametrize("answer", [free_text(), selection(), selection(other=OTHER), FILE])
def test_required_question_wants_an_answer_and_another_does_not(answer: str) -> None:
    assert problem(answer, required=True) == "This question needs an answer."
    assert problem(answer) == ""


@pytest.mark.parametrize("text", ["", "  ", "\r\n"])
def test_blank_text_is_no_answer(text: str) -> None:
    assert problem(free_text(), text, required=True) == "This question needs an answer."


@pytest.mark.parametrize(
    ("constraints", "text", "words"),
    [
        ("<IsNumeric/>", "12", ""),
        ("<IsNumeric/>", " -3.50 ", ""),
        ("<IsNumeric/>", "twelve", "Write a number, such as 12 or 3.5."),
        ("<IsNumeric/>", "1e9", "Write a number, such as 12 or 3.5."),
        ("<IsNumeric/>", "NaN", "Write a number, such as 12 or 3.5."),
        ("<IsNumeric/>", "٣", "Write a number, such as 12 or 3.5."),
        ("<IsNumeric/>", "9" * 5000, "Write a number, such as 12 or 3.5."),
        ('<IsNumeric minValue="2" maxValue="3"/>', "2", ""),
        ('<IsNumeric minValue="2" maxValue="3"/>', "3", ""),
        ('<IsNumeric minValue="2" maxValue="3"/>', "1.99", "Write a number that is at least 2."),
        ('<IsNumeric minValue="2" maxValue="3"/>', "3.01", "Write a number that is at most 3."),
        ('<Length minLength="2" maxLength="4"/>', "ab", ""),
        ('<Length minLength="2" maxLength="4"/>', "a\r\nbc", ""),
        ('<Length minLength="2" maxLength="4"/>', "a", "Write at least 2 characters; these are 1."),
        ('<Length minLength="2" maxLength="4"/>', "abcde", "Write at most 4 characters; these are 5."),
        ('<Length minLength="2"/>', "", ""),
    ],
)
def test_text_is_held_to_its_bounds(constraints: str, text: str, words: str) -> None:
    assert problem(free_text(constraints), text) == words


@pytest.mark.parametrize(
    ("regex", "flags", "text", "fits"),
    [
        (r"\S", "", " x ", True),
        ("^[Yy]es$", "", "yes", True),
        ("^[Yy]es$", "", "yes please", False),
        ("^yes$", "i", "YES", True),
        ("^yes$", "", "YES", False),
        (r"^\u0041+$", "", "AA", True),
    ],
)
def test_pattern_is_looked_for_anywhere(regex: str, flags: str, text: str, fits: bool) -> None:
    assert problem(pattern(regex, flags=flags), text) == ("" if fits else "Write it otherwise.")


def test_pattern_without_words_of_its_own_has_ours() -> None:
    words = "The answer does not have the requested format."

    assert problem(pattern("x", error=""), "y") == words


@pytest.mark.parametrize("regex", ["^(a+)+$", "(a|aa)+$", r"^(\w+\s?)*$", "(.*)*b", "^(a?){500}a{500}$"])
def test_pattern_that_would_explode_elsewhere_is_answered_at_once(regex: str) -> None:
    began = perf_counter()

    problem(pattern(regex), "a" * 20_000 + "!")

    assert perf_counter() - began < 2


@pytest.mark.parametrize(
    ("answer", "values", "words"),
    [
        (selection(), ["1"], ""),
        (selection(), ["0", "1"], "Choose at most 1."),
        (selection(before=most(2, least=2)), ["0", "2"], ""),
        (selection(before=most(3, least=2)), ["0"], "Choose at least 2."),
        (selection(before=most(2)), ["0", "1", "2"], "Choose at most 2."),
    ],
)
def test_selections_are_counted(answer: str, values: list[str], words: str) -> None:
    assert problem(answer, *values) == words


def test_selection_that_is_not_offered_is_no_answer() -> None:
    assert problem(selection(), "7", "a", "-1", "other", required=True) == "This question needs an answer."


def test_other_wants_its_words_and_holds_them_to_their_bounds() -> None:
    answer = selection(other=OTHER)

    assert problem(answer, "other") == "Write what you mean by “Other”."
    assert problem(answer, "other", other="blue") == ""
    assert problem(answer, other="blue", required=True) == ""
    assert problem(answer, "other", other="bluish") == "Write at most 5 characters; these are 6."
    assert problem(answer, "0", "other", other="blue") == "Choose at most 1."


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (2, ""),
        (1000, ""),
        (1, "Choose a file of at least 2\xa0bytes."),
        (1001, "Choose a file of at most 1000\xa0bytes."),
    ],
)
def test_file_is_held_to_its_bounds(size: int, words: str) -> None:
    assert problem(FILE, files={"q0": File(name="f", content=b"x" * size)}) == words


def elements_of(xml: str) -> list[list[tuple[str, str]]]:
    root = fromstring(xml)
    assert root.tag == f"{{{ANSWERS}}}QuestionFormAnswers"
    return [[(child.tag.partition("}")[2], child.text or "") for child in answer] for answer in root]


FILLED = form(
    question(identifier="text"),
    question(identifier="empty"),
    question(selection(before=most(3), other=OTHER), identifier="many"),
    question(selection(), identifier="none"),
    question(FILE, identifier="file"),
)
FIELDS: Mapping[str, Sequence[str]] = {
    "q0": ["a & <b>\0", "ignored"],
    "q2": ["2", "0", "other"],
    "q2.other": ["blue"],
    "q9": ["nobody asked"],
}


def filled() -> str:
    read = read_form(FILLED)
    given = read_given(read, FIELDS, {"q4": File(name="cv.pdf", content=b"four")})
    assert find_problems(read, given) == {}
    return write_given(read, given, key_prefix="A1")


def test_filled_form_becomes_the_answer_that_programs_know() -> None:
    assert elements_of(filled()) == [
        [("QuestionIdentifier", "text"), ("FreeText", "a & <b>")],
        [("QuestionIdentifier", "empty"), ("FreeText", "")],
        [
            ("QuestionIdentifier", "many"),
            ("SelectionIdentifier", "a"),
            ("SelectionIdentifier", "c"),
            ("OtherSelectionText", "blue"),
        ],
        [
            ("QuestionIdentifier", "file"),
            ("UploadedFileKey", "A1/file/cv.pdf"),
            ("UploadedFileSizeInBytes", "4"),
        ],
    ]


def test_filled_form_is_read_back_for_scoring() -> None:
    assert read_answers(filled()) == {
        "text": {"a & <b>"},
        "empty": frozenset(),
        "many": {"a", "c", "blue"},
        "file": frozenset(),
    }


@pytest.mark.parametrize("xml", ["", "<a", '<!DOCTYPE b [<!ENTITY a "ha">]><b>&a;</b>'])
def test_answers_that_are_not_well_formed_are_refused(xml: str) -> None:
    with pytest.raises(ParameterValidationError):
        read_answers(xml)


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("cv.pdf", "cv.pdf"),
        ("C:\\me\\cv.pdf", "cv.pdf"),
        ("../../etc/passwd", "passwd"),
        ('a"b\r\nSet-Cookie: x.pdf', "abSet-Cookie x.pdf"),
        ("", "file"),
        ("..", "file"),
        ("ä 漢.png", "ä 漢.png"),
        ("x" * 200 + ".png", "x" * 124 + ".png"),
    ],
)
def test_file_keeps_only_the_harmless_part_of_its_name(sent: str, kept: str) -> None:
    assert name_of_file(sent) == kept
