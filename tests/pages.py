"""The text of a page, for tests that look for words in it."""

import re
from typing import Any

# White space around the first and inside of the second shows nothing: templates may break their lines there.
BLOCK = re.compile(
    r" ?(</?(?:br|caption|dd|div|dl|dt|fieldset|figure|form|h[1-6]|legend|li|nav|ol|option|p|section|summary|"
    r't[dhr]|table|tbody|tfoot|thead|ul)\b(?:[^<>"]|"[^"]*")*>) ?'
)
OPENED = re.compile(r'(<(?:a|button)\b(?:[^<>"]|"[^"]*")*>) ')
CLOSED = re.compile(r" (</(?:a|button)>|/?>)")


def text_of(page: Any) -> str:
    """Return the whole page on one line, tags included, without the white space that shows nothing."""
    line = " ".join(page.content.decode().split())
    return CLOSED.sub(r"\1", OPENED.sub(r"\1", BLOCK.sub(r"\1", line)))
