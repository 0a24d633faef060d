"""HTMLQuestion and HIT layouts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.marketplace.errors import ParameterValidationError
from crowd.marketplace.questions import html_of, map_addresses, render_layout
from crowd.marketplace.questions.question_kinds import read_question
from tests.crowd.marketplace.forms import HTML, html_question

pytestmark = pytest.mark.pure

SUBMIT = "https://market.example/submit/x:y-_/mturk/externalSubmit"
HELPER = "https://content.market.example/static/marketplace/external_hit.js"
HEIGHT = "<FrameHeight>0</FrameHeight>"
FORM_PAGE = "<form>${text}</form>"


def refusal(xml: str) -> ParameterValidationError:
    with pytest.raises(ParameterValidationError) as caught:
        read_question(xml)
    return caught.value


def layout_refusal(html: str, parameters: dict[str, str]) -> str:
    with pytest.raises(ParameterValidationError) as caught:
        render_layout(html, parameters)
    return caught.value.message


def test_html_question_keeps_its_page_and_height() -> None:
    page = "<!DOCTYPE html><script>if (a < b && c) alert(1)</script>"
    xml = html_question(page, height=" 450 ")

    read = read_question(xml)

    assert (read.kind, read.xml, read.url, read.frame_height) == ("html", xml, "", 450)
    assert html_of(xml) == page


@pytest.mark.parametrize(
    "xml",
    [
        html_question(""),
        html_question(" \n"),
        html_question(height="-1"),
        html_question(height=""),
        html_question().replace("<FrameHeight>450</FrameHeight>", ""),
        html_question().replace("</FrameHeight>", "</FrameHeight><More/>"),
        html_question().replace("<![CDATA[", "").replace("]]>", ""),
        f'<HTMLQuestion xmlns="{HTML}">{HEIGHT}<HTMLContent>x</HTMLContent></HTMLQuestion>',
        html_question().replace("2011-11-11", "2011-11-12"),
        html_question("x" * 70_000),
    ],
)
def test_html_question_with_a_mistake_is_refused(xml: str) -> None:
    assert refusal(xml).code == "InvalidParameterValue"


def test_layout_takes_values_as_they_are() -> None:
    xml = render_layout("<form>${a} ${b}${a}</form>", {"a": "<b>&amp;</b>", "b": "${a} \\1"}, frame_height=7)

    assert html_of(xml) == "<form><b>&amp;</b> ${a} \\1<b>&amp;</b></form>"
    assert read_question(xml).frame_height == 7


def test_layout_without_a_form_gets_one() -> None:
    page = html_of(render_layout("<input name='${name}'>", {"name": "x"}))

    assert "<input name='x'>" in page
    assert 'action="https://www.mturk.com/mturk/externalSubmit"' in page
    assert 'id="assignmentId"' in page


def test_layout_names_what_is_missing_and_what_is_unknown() -> None:
    assert layout_refusal("<form>${b} ${a}</form>", {}) == "HITLayoutParameters lack: a, b."
    assert layout_refusal("<form>${a}</form>", {"a": "", "c": ""}) == (
        "The layout does not use the HITLayoutParameters: c."
    )


@pytest.mark.parametrize("value", ["\0", "\x0b", "\ud800", "\uffff", "x" * 70_000])
def test_layout_refuses_what_no_question_can_hold(value: str) -> None:
    assert layout_refusal(FORM_PAGE, {"text": value}) != ""


@given(value=st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")))
def test_layout_reads_back_to_its_page(value: str) -> None:
    assert html_of(render_layout(FORM_PAGE, {"text": value})) == f"<form>{value}</form>"


@pytest.mark.parametrize(
    ("written", "mapped"),
    [
        ("https://www.mturk.com/mturk/externalSubmit", SUBMIT),
        ("HTTP://workersandbox.mturk.com/mturk/externalSubmit", SUBMIT),
        ("//www.mturk.com/mturk/externalSubmit", SUBMIT),
        ("https://s3.amazonaws.com/mturk-public/externalHIT_v1.js", HELPER),
        ("//s3.amazonaws.com/mturk-public/externalHIT_v1.js", HELPER),
        ("https://www.mturk.com/mturk/externalSubmits", "https://www.mturk.com/mturk/externalSubmits"),
        ("https://mturk.example/mturk/externalSubmit", "https://mturk.example/mturk/externalSubmit"),
        (
            "https://assets.crowd.aws/crowd-html-elements.js",
            "https://assets.crowd.aws/crowd-html-elements.js",
        ),
    ],
)
def test_addresses_of_the_old_service_become_ours(written: str, mapped: str) -> None:
    page = map_addresses(f'<a href="{written}">x</a>', submit_url=SUBMIT, helper_url=HELPER)

    assert page == f'<a href="{mapped}">x</a>'
