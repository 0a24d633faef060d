"""HTMLQuestion: a whole page that the requester wrote, and HIT layouts, which become one."""

import re
from collections.abc import Mapping
from xml.etree.ElementTree import Element, SubElement, tostring

from crowd.marketplace.questions.crowd_elements import CROWD_SCRIPT, refuse_unknown_elements
from crowd.marketplace.questions.external import read_height
from crowd.marketplace.questions.xml_parsing import (
    SCHEMAS,
    XML_WHITE_SPACE,
    Question,
    invalid,
    parse,
    shorten,
)

HTML_SCHEMA = f"{SCHEMAS}/2011-11-11/HTMLQuestion.xsd"
HTML = f"{{{HTML_SCHEMA}}}"
PLACEHOLDER = re.compile(r"\$\{([^{}]*)\}")
HAS_FORM = re.compile(r"<(form|crowd-form)\b", re.IGNORECASE)
UNPRINTABLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Amazon's service puts this around a layout that is only the inside of a form.
PAGE = """<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<script src="https://s3.amazonaws.com/mturk-public/externalHIT_v1.js"></script>
</head>
<body>
<form name="mturk_form" method="post" id="mturk_form" action="https://www.mturk.com/mturk/externalSubmit">
<input type="hidden" value="" name="assignmentId" id="assignmentId">
{layout}
<p><input type="submit" id="submitButton" value="Submit"></p>
</form>
<script>turkSetAssignmentID();</script>
</body>
</html>
"""


def read_html_question(root: Element, *, xml: str) -> Question:
    if [child.tag for child in root] != [f"{HTML}HTMLContent", f"{HTML}FrameHeight"]:
        raise invalid("HTMLQuestion needs HTMLContent and then FrameHeight, and nothing else.")
    content, height = root
    if len(content) or not (content.text or "").strip():
        raise invalid("HTMLContent must hold the page's HTML, in a CDATA section, and may not be empty.")
    refuse_unknown_elements(content.text or "")
    return Question(kind="html", xml=xml, frame_height=read_height(_word(height)))


def html_of(xml: str) -> str:
    """The page in an HTMLQuestion that was accepted before."""
    return parse(xml, noun="Question").findtext(f"{HTML}HTMLContent", "")


def render_layout(html: str, parameters: Mapping[str, str], *, frame_height: int = 0) -> str:
    """The HTMLQuestion of a HIT layout. Values go in unescaped: the requester wrote them, as the page.

    Raises ParameterValidationError that names missing and unknown parameters.
    """
    wanted = set(PLACEHOLDER.findall(html))
    if missing := wanted - parameters.keys():
        raise invalid(f"HITLayoutParameters lack: {_names(missing)}.")
    if unknown := parameters.keys() - wanted:
        raise invalid(f"The layout does not use the HITLayoutParameters: {_names(unknown)}.")
    page = PLACEHOLDER.sub(lambda place: parameters[place[1]], html)
    return write_html_question(page, frame_height=frame_height)


def write_html_question(html: str, *, frame_height: int) -> str:
    """Write XML that reads back to this page; the inside of a form gets a form around it."""
    if UNPRINTABLE.search(html):
        raise invalid("A layout or its parameters have control characters, which XML cannot hold.")
    root = Element("HTMLQuestion", xmlns=HTML_SCHEMA)
    page = html if HAS_FORM.search(html) else PAGE.replace("{layout}", html)
    SubElement(root, "HTMLContent").text = page
    SubElement(root, "FrameHeight").text = str(frame_height)
    # A bare carriage return would be read back as a line feed.
    xml: str = tostring(root, encoding="unicode").replace("\r", "&#13;")
    read_html_question(parse(xml, noun="The layout with its parameters"), xml=xml)
    return xml


def _names(names: set[str]) -> str:
    return shorten(", ".join(sorted(names)))


def _word(element: Element) -> str:
    return (element.text or "").strip(XML_WHITE_SPACE)


HELPER_SCRIPT = re.compile(r"(https?:)?//s3\.amazonaws\.com/mturk-public/externalHIT_v1\.js\b", re.IGNORECASE)
# A page is read by the rules of today only if nothing but white space and comments is before its doctype.
BEGINNING = re.compile(r"\ufeff?(\s|<!--.*?-->)*(<!doctype[^>]*>)?", re.IGNORECASE | re.DOTALL)


def map_addresses(html: str, *, submit_url: str, helper_url: str, elements_url: str, leading_url: str) -> str:
    """Lead a requester's page from Amazon's addresses to ours, which need no escaping anywhere.

    A script before all others leads its forms, for their addresses may be put together by the page's scripts.
    """
    mapped = HELPER_SCRIPT.sub(lambda _: helper_url, html)
    mapped = CROWD_SCRIPT.sub(lambda _: elements_url, mapped)
    leading = f'<script src="{leading_url}" data-submit="{submit_url}"></script>'
    return BEGINNING.sub(lambda found: found[0] + leading, mapped, count=1)
