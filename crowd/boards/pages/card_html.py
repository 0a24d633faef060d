"""The card of a release as HTML: Markdown in which nothing that people typed is an element."""

import re

from django.core.cache import cache
from markdown_it import MarkdownIt
from markdown_it.token import Token

from crowd.releases.files.stores import StoreAway, store_of
from crowd.releases.models import Release

CARD = "README.md"
# A card is some kilobytes; what is longer is not read to its end.
MOST_BYTES = 500_000
# A card never changes; a bucket that is away is asked again soon.
REMEMBERED_S, AWAY_S = 3_600, 30
FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
SCROLLED = (
    '<div class="scroll" role="region" tabindex="0" aria-label="Table of the card"><table class="plain">'
)


def card_html(release: Release) -> str:
    """Return the card without its front matter and its title; empty while its bucket is away."""
    found = next((file for file in release.files if file["name"] == CARD), None)
    if found is None:
        return ""
    key = f"release-card:{found['sha256']}"
    if (html := cache.get(key)) is None:
        try:
            html = _html(store_of(found).read(release, found, most=MOST_BYTES).decode(errors="replace"))
        except StoreAway:
            html = ""
        cache.set(key, html, REMEMBERED_S if html else AWAY_S)
    return str(html)


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
