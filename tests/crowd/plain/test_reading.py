"""Descriptions of pages: what they are read as, and every fault with its line and its reason."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.plain.domain.description_parser import read_page
from crowd.plain.domain.pages import Kind, Option
from tests.crowd.plain.describing import ALONE, SHORT, WHOLE

pytestmark = pytest.mark.pure
ASKED = "title: T\nchoice: a\nask: A?\n- x\n- y\n"


def faults_of(text: str) -> list[str]:
    return [str(fault) for fault in read_page(text).faults]


def test_page_has_its_parts_in_order() -> None:
    described = read_page(WHOLE)
    page = described.page

    assert described.faults == []
    assert (page.title, page.about) == (
        "Two pictures of one thing",
        ("Look at the picture first.", "Then answer."),
    )
    assert [part.kind for part in page.parts] == [
        Kind.PICTURE, Kind.SAY, Kind.CHOICE, Kind.CHOICES, Kind.SCALE, Kind.NUMBER, Kind.TEXT,
    ]  # fmt: skip
    assert (page.columns, page.pictures) == (["caption", "id", "image", "source"], ["image"])


def test_questions_have_what_was_said_of_them() -> None:
    natural, faults, sure, people, why = read_page(WHOLE).page.questions

    assert (natural.ask, natural.options[0]) == (
        "Is “{{ caption }}” natural?",
        Option(code="yes", label="Yes"),
    )
    assert (faults.help, faults.is_optional, faults.options[0].label) == (
        "Tick all that apply.",
        True,
        "grammar",
    )
    assert [(point.code, point.label) for point in sure.options] == [
        ("1", "Not at all"), ("2", ""), ("3", ""), ("4", ""), ("5", "Very"),
    ]  # fmt: skip
    assert (people.least, people.most, people.is_whole) == (Decimal(0), Decimal(50), True)
    assert (why.longest, why.is_optional, natural.is_optional) == (20, True, False)


@pytest.mark.parametrize("text", [SHORT, ALONE])
def test_short_description_is_enough(text: str) -> None:
    assert faults_of(text) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "Line 1: the page has no title. Begin with “title:”."),
        ("title: T", "Line 1: the page asks nothing."),
        (f"{ASKED}title: U", "Line 6: there is a title in line 1 already."),
        (f"{ASKED}colour: red", "Line 6: “colour” is no word of a description."),
        (f"{ASKED}What is it?", "Line 6: it begins with no known word and a colon, nor with a dash."),
        (f"{ASKED}Hello", "Line 6: it begins with no known word and a colon, nor with a dash."),
        (f"{ASKED}about: {{{{ a }}}}", "Line 6: the title and the lines of “about” are above"),
        (f"{ASKED}help:", "Line 6: “help:” has nothing after it."),
        (f"{ASKED}optional: yes", "Line 6: “optional” stands alone, without a colon."),
        (f"{ASKED}most: 3", "Line 6: “choice” has no “most”."),
        (f"{ASKED}ask: B?", "Line 6: “ask” was said in line 3 already."),
        ("title: T\nask: A?", "Line 2: “ask” belongs below a question, and none is above it."),
        ("title: T\nsay: a\nask: A?", "Line 3: “ask” belongs below a question, and none is above it."),
        ("title: T\n- x", "Line 2: an option belongs below a “choice” or “choices”."),
        (f"{ASKED}-", "Line 6: the option is empty."),
        (f"{ASKED}- x", "Line 6: there is an option “x” already."),
        (f"{ASKED}- {{{{ b }}}}", "Line 6: an option that names a column needs a word for files"),
        (f"{ASKED}- b = {{{{ c", "Line 6: there is “{{” without “}}”."),
        (f"{ASKED}- {'b' * 61}", "Line 6: what files call an option has 60 letters at most"),
        ("title: T\nchoice: a\nask: A?\n- x", "Line 2: a “choice” has 2 to 30 options"),
        ("title: T\ntext: a", "Line 2: the question asks nothing."),
        ("title: T\ntext: A b\nask: A?", "Line 2: a question has a name of small letters"),
        ("title: T\ntext: a\nask: {{ }}", "Line 3: between “{{” and “}}” no column is named."),
        ("title: T\nsay: {{ a", "Line 2: there is “{{” without “}}”."),
        ("title: T\ntext: a\nask: A?\nlongest: 0", "Line 4: “longest” is a whole number from 1 to 2000."),
        (f"{ASKED}text: a\nask: B?", "Line 6: a question in line 2 has the name “a”."),
        ("title: T\nscale: a\nask: A?\nfrom: 1", "Line 2: a scale needs “to:” with a whole number"),
        ("title: T\nscale: a\nask: A?\nfrom: one\nto: 3", "Line 4: a scale needs “from:” with a whole"),
        ("title: T\nscale: a\nask: A?\nfrom: 3\nto: 3", "Line 2: a scale has 2 to 11 points"),
        ("title: T\nscale: a\nask: A?\nfrom: 0\nto: 11", "Line 2: a scale has 2 to 11 points"),
        ("title: T\nnumber: a\nask: A?\nleast: x", "Line 4: “least” is a number such as 0 or 2.5."),
        ("title: T\nnumber: a\nask: A?\nleast: 2\nmost: 1", "Line 2: “least” is more than “most”."),
        ("title: T\npicture: a {{ b }}", "Line 2: “picture:” is followed by the name of one column."),
        ("title: {{ a }}\ntext: a\nask: A?", "Line 1: the title and the lines of “about” are above"),
        (f"title: {'T' * 121}\ntext: a\nask: A?", "Line 1: the title has more than 120 letters."),
        (f"{ASKED}help: a\0b", "Line 6: there is a character in it that cannot be kept."),
        ("x" * 20_001, "Line 1: the description has more than 20,000 letters."),
    ],
)
def test_fault_is_told_with_its_line_and_reason(text: str, fault: str) -> None:
    told = faults_of(text)

    assert [one for one in told if one.startswith(fault)], told


def test_all_faults_are_told_in_the_order_of_their_lines() -> None:
    told = faults_of("title: T\ntext: A\nnumber: b\nask: B?\nleast: x\nfoo: bar")

    assert [one.split(":")[0] for one in told] == ["Line 2", "Line 2", "Line 5", "Line 6"]


def test_unknown_word_at_the_head_of_a_paragraph_is_one_fault() -> None:
    told = faults_of(f"{ASKED}\nscal: b\nask: B?\n- x\nfrom: 1\n\ncolour: red\ntext: c\nask: C?\n\nmost: 3")

    assert told == [
        "Line 7: “scal” is no word of a description.",
        "Line 12: “colour” is no word of a description.",
        "Line 16: “text” has no “most”.",
    ]


def test_what_can_be_read_is_shown_while_the_rest_is_wrong() -> None:
    described = read_page(f"{SHORT}text: why\n")

    assert len(described.faults) == 1
    assert [part.kind for part in described.page.parts] == [Kind.SAY, Kind.CHOICE]


def test_words_are_known_whatever_their_letters() -> None:
    assert read_page(ASKED.replace("title", "Title").replace("ask", "ASK")) == read_page(ASKED)


def test_picture_is_named_with_or_without_braces() -> None:
    pages = [read_page(f"{ASKED}picture: {name}").page for name in ("The Image", "{{ The Image }}")]

    assert [page.pictures for page in pages] == [["the image"], ["the image"]]


def test_lines_are_counted_as_an_editor_counts_them() -> None:
    """Every line ending counts, and no other character with which Unicode breaks a line."""
    assert faults_of("title: T\r\ntext: a\r\n\task: A\u2028B?\r\nfoo: bar") == [
        "Line 4: “foo” is no word of a description."
    ]


@given(st.text(max_size=300))
def test_any_text_is_read_and_a_page_without_fault_can_be_asked(text: str) -> None:
    described = read_page(text)

    assert described.faults or described.page.questions


@given(st.lists(st.sampled_from([*WHOLE.splitlines(), "-", "ask:", "text: a", "{{", "from: 2"]), max_size=15))
def test_lines_in_any_order_are_read_and_faults_name_lines_that_are_there(lines: list[str]) -> None:
    described = read_page("\n".join(lines))

    assert all(1 <= fault.line <= max(1, len(lines)) for fault in described.faults)
    names = [part.name for part in described.page.questions]
    assert described.faults or len(names) == len(set(names)) > 0
