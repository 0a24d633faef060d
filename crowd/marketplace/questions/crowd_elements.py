"""Amazon's crowd HTML elements: the ones that our own script brings, and the refusal of pages with others."""

import re
from collections.abc import Iterator

from crowd.marketplace.questions.xml_parsing import invalid, shorten

CROWD_SCRIPT = re.compile(r"(https?:)?//assets\.crowd\.aws/crowd-html-elements\.js\b", re.IGNORECASE)
# A quotation mark begins a value only behind a sign of equality. What is not closed goes to the end.
COMMENT_OR_TAG = re.compile(
    r"""<!-- | <([a-z][^\s/>]*+) (?: =\s*+"[^"]*+"? | =\s*+'[^']*+'? | [^>=] | = )*+""", re.VERBOSE
)
TEXT_ALONE = frozenset({"iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"})
# The names that static/marketplace/crowd_elements.js defines.
CARRIED = frozenset(
    {
        "crowd-alert",
        "crowd-button",
        "crowd-card",
        "crowd-checkbox",
        "crowd-classifier",
        "crowd-classifier-multi-select",
        "crowd-form",
        "crowd-icon-button",
        "crowd-image-classifier",
        "crowd-image-classifier-multi-select",
        "crowd-input",
        "crowd-instructions",
        "crowd-modal",
        "crowd-radio-button",
        "crowd-radio-group",
        "crowd-slider",
        "crowd-tab",
        "crowd-tabs",
        "crowd-text-area",
        "crowd-toggle-button",
    }
)


def refuse_unknown_elements(html: str) -> None:
    """Raise ParameterValidationError that names the elements of Amazon's script which a worker would not see.

    Pages without that script may have elements of their own, whatever they are called.
    """
    if not CROWD_SCRIPT.search(html):
        return
    unknown = {tag for tag in read_tags(html) if tag.startswith("crowd-")} - CARRIED
    if unknown:
        raise invalid(
            f"These crowd HTML elements are not supported here: {shorten(', '.join(sorted(unknown)))}. "
            "Use supported elements, or HTML and scripts of your own."
        )


def read_tags(html: str) -> Iterator[str]:
    """Opening tags as a browser reads them: not those in comments, in values, nor in the texts of scripts.

    The html.parser of Python's library needs more than a minute for some texts of 64 KB; this is linear.
    """
    lower = html.lower()
    at = 0
    while found := COMMENT_OR_TAG.search(lower, at):
        tag = found[1]
        if tag is None:
            at = _after(lower, "-->", found.end())
            continue
        yield tag
        at = _after(lower, f"</{tag}", found.end()) if tag in TEXT_ALONE else found.end()


def _after(text: str, end: str, start: int) -> int:
    at = text.find(end, start)
    return at + len(end) if at >= 0 else len(text)
