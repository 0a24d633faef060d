"""The card of a release as HTML: Markdown in which nothing that people typed is an element."""

import re
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from crowd.releases.files.stores import StoreAway
from crowd.releases.models import Release
from crowd.releases.services.file_downloads import open_stored

CARD = "README.md"
# A card is some kilobytes; what is longer is not read to its end.
MOST_BYTES = 500_000
FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
SCROLLED = (
    '<div class="scroll" role="region" tabindex="0" aria-label="Table of the card"><table class="plain">'
)


def card_html(release: Release) -> str:
    """Return the card without its front matter and its title; empty while its bucket is away."""
    try:
        file = open_stored(release, CARD)
    except (StoreAway, OSError):
        return ""
    if file is None:
        return ""
    with file:
        text = file.read(MOST_BYTES).decode(errors="replace")
    return _html(text)


@lru_cache(maxsize=32)
def _html(text: str) -> str:
    """Render the text, with its headings below that of the page."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = list(_below_a_title(markdown.parse(FRONT.sub("", text))))
    html = str(markdown.renderer.render(tokens, markdown.options, {}))
    html = html.replace("<pre>", '<pre class="scroll" tabindex="0">')
    return html.replace("<table>", SCROLLED).replace("</table>", "</table></div>")


def _below_a_title(tokens: list[Token]) -> list[Token]:
    """Return the tokens without the card's own title, and with every other heading one step lower."""
    found, is_title = [], False
    for token in tokens:
        if token.type == "heading_open" and token.tag == "h1":
            is_title = True
        if not is_title:
            if token.type in ("heading_open", "heading_close"):
                token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
            found.append(token)
        if token.type == "heading_close" and token.tag == "h1":
            is_title = False
    return found
