"""The XML of requesters' questions and of workers' answers."""

from collections.abc import Sequence

import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import given
from hypothesis import strategies as st

from crowd.marketplace.errors import ParameterValidationError
from crowd.marketplace.questions import ANSWERS, write_answer
from crowd.marketplace.questions.question_kinds import read_question
from crowd.marketplace.questions.xml_parsing import MAX_BYTES, SCHEMAS
from tests.factories import external_question

pytestmark = pytest.mark.pure

NAMESPACE = f"{SCHEMAS}/2006-07-14/ExternalQuestion.xsd"
BOMB = '<!DOCTYPE b [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
LEAK = '<!DOCTYPE b [<!ENTITY a SYSTEM "file:///etc/hostname">]>'


def code_of(xml: str) -> str:
    with pytest.raises(ParameterValidationError) as caught:
        read_question(xml)
    return caught.value.code


def of_length(size: int) -> str:
    """A question of exactly so many bytes."""
    xml = external_question()
    return xml.replace("<FrameHeight>", " " * (size - len(xml)) + "<FrameHeight>")


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/q",
        "https://example.org:8443/q?a=1&amp;b=2",
        "http://127.0.0.1:8000/q",
        "http://localhost/q",
        "http://[::1]:8000/q",
    ],
)
def test_question_keeps_its_address_and_height(url: str) -> None:
    question = read_question(external_question(url, height="450"))

    assert (question.url, question.frame_height) == (url.replace("&amp;", "&"), 450)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/q",
        "http://127.0.0.1.example.org/q",
        "ftp://localhost/q",
        "javascript:alert(1)",
        "data:text/html,hello",
        "//example.org/q",
        "/q",
        "",
        "https://",
        "https:///q",
        f"https://example.org/{'q' * 2000}",
    ],
)
def test_question_address_that_is_not_https_is_refused(url: str) -> None:
    assert code_of(external_question(url)) == "InvalidParameterValue"


@pytest.mark.parametrize("url", ["https://[::1", "https://[host]/q", "https://ex℀mple.org/q"])
def test_question_address_that_cannot_be_parsed_is_refused(url: str) -> None:
    assert code_of(external_question(url)) == "InvalidParameterValue"


def test_question_address_with_hidden_line_breaks_is_refused_beyond_its_column() -> None:
    url = "https://example.org/" + "q" * 1_970 + "\n" * 40 + "q"

    assert code_of(external_question(url)) == "InvalidParameterValue"


@pytest.mark.parametrize(
    "host",
    [
        "a.example; script-src *",
        "a.example, b.example",
        "'unsafe-inline'",
        "a.example b.example",
        "user:password@a.example",
        "пример.example",
    ],
)
def test_question_host_that_would_write_into_the_policy_header_is_refused(host: str) -> None:
    assert code_of(external_question(f"https://{host}/q")) == "InvalidParameterValue"


@pytest.mark.parametrize("height", ["-1", "1.5", "tall", "", "٤٥", "100000"])
def test_question_height_that_is_no_number_of_pixels_is_refused(height: str) -> None:
    assert code_of(external_question(height=height)) == "InvalidParameterValue"


def test_question_of_the_most_bytes_is_read_and_one_more_refused() -> None:
    assert read_question(of_length(MAX_BYTES)).url == "https://example.org/q"
    assert code_of(of_length(MAX_BYTES + 1)) == "InvalidParameterValue"


def test_question_length_counts_bytes_not_characters() -> None:
    url = "https://example.org/"
    padded = external_question(url).replace(url, f"{url}<!--{'ä' * 32_700}-->")

    assert len(padded) < MAX_BYTES < len(padded.encode())
    assert code_of(padded) == "InvalidParameterValue"


@pytest.mark.parametrize(
    "xml", ["", "no XML", "<ExternalQuestion>", f"{external_question()}<again/>", "<a>\0</a>"]
)
def test_question_that_is_not_well_formed_is_refused(xml: str) -> None:
    assert code_of(xml) == "XMLParseError"


@pytest.mark.parametrize("prolog", [BOMB, LEAK, "<!DOCTYPE b>"])
def test_question_with_a_document_type_is_refused(prolog: str) -> None:
    assert code_of(prolog + external_question()) == "XMLParseError"


def test_question_with_half_a_character_is_refused() -> None:
    assert code_of(external_question("https://example.org/\ud800")) == "XMLParseError"


@pytest.mark.parametrize(
    "xml",
    [
        external_question().replace("2006-07-14", "2005-10-01"),
        external_question().replace(f' xmlns="{NAMESPACE}"', ""),
        external_question().replace("ExternalQuestion", "HTMLQuestion").replace("2006-07-14", "2011-11-11"),
    ],
)
def test_question_of_another_namespace_or_kind_is_refused(xml: str) -> None:
    assert code_of(xml) == "InvalidParameterValue"


@pytest.mark.parametrize(
    "children",
    [
        "",
        "<ExternalURL>https://example.org</ExternalURL>",
        "<FrameHeight>0</FrameHeight><ExternalURL>https://example.org</ExternalURL>",
        "<ExternalURL>https://example.org</ExternalURL><FrameHeight>0</FrameHeight><More/>",
        "<ExternalURL>https://a.example</ExternalURL><ExternalURL>https://b.example</ExternalURL>",
    ],
)
def test_question_of_other_children_is_refused(children: str) -> None:
    xml = f'<ExternalQuestion xmlns="{NAMESPACE}">{children}</ExternalQuestion>'

    assert code_of(xml) == "InvalidParameterValue"


def read_answer(xml: str) -> list[tuple[str, str]]:
    """Read the answers as a requester's program would."""
    space = f"{{{ANSWERS}}}"
    root = fromstring(xml)
    assert root.tag == f"{space}QuestionFormAnswers"
    return [
        (answer.findtext(f"{space}QuestionIdentifier", ""), answer.findtext(f"{space}FreeText", ""))
        for answer in root
    ]


PRINTABLE = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\r\ufffe\uffff", min_codepoint=32)
)


@given(fields=st.lists(st.tuples(PRINTABLE, PRINTABLE)))
def test_answer_gives_back_what_was_entered(fields: Sequence[tuple[str, str]]) -> None:
    assert read_answer(write_answer(fields)) == list(fields)


@pytest.mark.parametrize("text", ["tab\there", "two\nlines", "two\r\nlines of a text area", "old\rMac"])
def test_answer_keeps_the_white_space_that_xml_allows(text: str) -> None:
    assert read_answer(write_answer([("text", text)])) == [("text", text)]


def test_answer_drops_only_what_xml_has_no_place_for() -> None:
    every = "".join(chr(code) for code in range(32)) + "\x7f\x85\ufffe\uffff😀"

    [(_, kept)] = read_answer(write_answer([("text", every.replace("\r", ""))]))

    assert kept == "\t\n\x7f\x85😀"
