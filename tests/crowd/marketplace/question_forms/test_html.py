"""HTMLQuestion and HIT layouts."""

import re
from pathlib import Path
from time import monotonic

import pytest
from django.contrib.staticfiles import finders
from hypothesis import given
from hypothesis import strategies as st

from crowd.marketplace.errors import ParameterValidationError
from crowd.marketplace.questions import html_of, map_addresses, render_layout
from crowd.marketplace.questions.crowd_elements import CARRIED, read_tags
from crowd.marketplace.questions.question_kinds import read_question
from tests.crowd.marketplace.forms import HTML, html_question

pytestmark = pytest.mark.pure

SUBMIT = "https://market.example/submit/x:y-_/mturk/externalSubmit"
HELPER = "https://content.market.example/static/marketplace/external_hit.js"
ELEMENTS = "https://content.market.example/static/marketplace/crowd_elements.js"
LEADING = "https://content.market.example/static/marketplace/form_addresses.js"
LEADS = f'<script src="{LEADING}" data-submit="{SUBMIT}"></script>'
HEIGHT = "<FrameHeight>0</FrameHeight>"
FORM_PAGE = "<form>${text}</form>"


CROWD = '<script src="https://assets.crowd.aws/crowd-html-elements.js"></script>'


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


def test_crowd_elements_that_workers_would_not_see_are_refused_by_name() -> None:
    page = (
        f'{CROWD}<crowd-form><CROWD-Polygon src="x" /><crowd-input name="a"></crowd-input>'
        "<crowd-bounding-box name='b'></crowd-bounding-box><crowd-polygon></crowd-polygon></crowd-form>"
    )

    refused = refusal(html_question(page))

    assert refused.code == "InvalidParameterValue"
    assert refused.message == (
        "These crowd HTML elements are not supported here: crowd-bounding-box, crowd-polygon. "
        "Use supported elements, or HTML and scripts of your own."
    )
    assert layout_refusal(page.replace("CROWD-Polygon", "${tag}"), {"tag": "b"}) == refused.message


@pytest.mark.parametrize(
    "page",
    [
        f"{CROWD}<!-- <crowd-polygon></crowd-polygon> --><crowd-form></crowd-form>",
        f"{CROWD}<script>const tag = '<crowd-polygon>';</script>",
        f"{CROWD}<style>/* <crowd-polygon> */ crowd-polygon {{ color: red }}</style>",
        f"{CROWD}<script>const tag = '<crowd-polygon>';",
        f"{CROWD}<!-- <crowd-polygon>",
        f"{CROWD}<textarea><crowd-polygon></textarea>",
        f"{CROWD}<p title = '<crowd-polygon>'>Why not &lt;crowd-polygon&gt;?</p>",
        "<script src='https://a.example/own.js'></script><crowd-polygon></crowd-polygon>",
    ],
)
def test_mere_mentions_of_crowd_elements_are_not_refused(page: str) -> None:
    assert html_of(read_question(html_question(page)).xml) == page


def test_tags_are_read_as_a_browser_reads_them() -> None:
    html = """<!DOCTYPE html><P don't class="a>b" id='c>"'><br/>1 < 2<i title=x>d</i><!--><b>--><u\ne>"""

    assert list(read_tags(html)) == ["p", "br", "i", "u"]


@pytest.mark.parametrize("part", ["<a", "<a b='", "<a b=", "<!--", "<", "</", "<script>", "<a =", "= ="])
def test_tags_are_read_in_a_moment_whatever_the_page(part: str) -> None:
    begun = monotonic()
    list(read_tags((part * 64_000)[:64_000]))

    assert monotonic() - begun < 2


def test_elements_that_are_let_through_are_those_that_our_script_defines() -> None:
    script = Path(str(finders.find("marketplace/crowd_elements.js"))).read_text()

    assert set(re.findall(r'^ +"(crowd-[a-z-]+)": [A-Z]', script, re.MULTILINE)) == CARRIED


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


def mapped(page: str) -> str:
    return map_addresses(
        page, submit_url=SUBMIT, helper_url=HELPER, elements_url=ELEMENTS, leading_url=LEADING
    )


@pytest.mark.parametrize(
    ("written", "is_ours"),
    [
        ("https://s3.amazonaws.com/mturk-public/externalHIT_v1.js", True),
        ("//s3.amazonaws.com/mturk-public/externalHIT_v1.js", True),
        ("HTTP://S3.amazonaws.com/mturk-public/externalHIT_v1.js", True),
        ("https://s3.amazonaws.com/mturk-public/externalHIT_v1.json", False),
        ("https://s3.amazonaws.example/mturk-public/externalHIT_v1.js", False),
    ],
)
def test_helper_script_of_the_old_service_becomes_ours(written: str, is_ours: bool) -> None:
    page = mapped(f'<script src="{written}"></script>')

    assert page == f'{LEADS}<script src="{HELPER if is_ours else written}"></script>'


@pytest.mark.parametrize(
    ("written", "is_ours"),
    [
        ("https://assets.crowd.aws/crowd-html-elements.js", True),
        ("http://assets.crowd.aws/crowd-html-elements.js", True),
        ("//assets.crowd.aws/crowd-html-elements.js", True),
        ("HTTPS://Assets.Crowd.AWS/crowd-html-elements.js", True),
        ("https://assets.crowd.aws/crowd-html-elements.json", False),
        ("https://assets.crowd.example/crowd-html-elements.js", False),
    ],
)
def test_crowd_elements_of_the_old_service_become_ours(written: str, is_ours: bool) -> None:
    page = mapped(f'<script src="{written}"></script>')

    assert page == f'{LEADS}<script src="{ELEMENTS if is_ours else written}"></script>'


@pytest.mark.parametrize(
    "before",
    [
        "",
        "<!DOCTYPE html>",
        "\ufeff<!doctype HTML PUBLIC '-//W3C//DTD'>",
        "\n<!-- a > b -->\n<!-- c --><!DOCTYPE html>",
    ],
)
def test_forms_are_led_before_any_script_of_the_page_and_behind_its_doctype(before: str) -> None:
    page = "<html><!DOCTYPE html><script>begin()</script></html>"

    assert mapped(before + page) == before + LEADS + page
