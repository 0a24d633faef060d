"""No template of a worker's page holds words that are not marked for translation, rendered or not."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.template.base import Lexer, TokenType

from tests.languages.pseudo import CLOSE, OPEN
from tests.languages.unmarked import SENTENCE, find_unmarked

ROOT = Path(__file__).parent.parent.parent
ROOMS = ("config", "crowd", "qualifications")
# Pages of researchers here and elsewhere, of the marketplace's operators, and of people who judge the work.
OF_STAFF = ("admin", "boards", "desk", "review", "review.html", "403_csrf.html")
QUOTED = re.compile(r'(?<!_\()"([^"]*)"')
# A block that pages fill with attributes of an element.
ATTRIBUTES = "block words"
# Widths that a page gives to its `main`, and what is the same in every language.
NO_WORDS = frozenset({"narrow", "middle", "wide", "UTC"})


def templates() -> list[Path]:
    found = (path for room in ROOMS for path in (ROOT / room).rglob("templates/**/*.html"))
    return sorted(path for path in found if not {*OF_STAFF} & {*path.relative_to(ROOT).parts})


def as_shown(source: str) -> Iterator[str]:
    """Yield the template's own words, with brackets around those that are marked and without its tags."""
    inside = ""
    # A file of attributes alone stands within an element of the page that includes it.
    if "<" not in source:
        source = f"<i {source}>"
    for token in Lexer(source).tokenize():
        verb = token.contents.split(" ")[0]
        if token.token_type == TokenType.BLOCK and verb in ("blocktranslate", "blocktrans", "comment"):
            inside = f"end{verb}"
            yield OPEN
        elif token.token_type == TokenType.BLOCK and verb == inside:
            inside = ""
            yield ">" if verb == "endblock" else CLOSE
        elif token.token_type == TokenType.BLOCK and token.contents == ATTRIBUTES:
            inside = "endblock"
            yield "<i "
        elif token.token_type == TokenType.TEXT:
            yield token.contents


def words_in_tags(source: str) -> Iterator[str]:
    """Yield sentences that a tag or filter hands on, such as the label of an included part."""
    for token in Lexer(source).tokenize():
        verb = token.contents.split(" ")[0]
        if token.token_type in (TokenType.BLOCK, TokenType.VAR) and verb not in ("translate", "trans"):
            yield from (text for text in QUOTED.findall(token.contents) if SENTENCE.search(text))


def test_templates_are_found() -> None:
    assert len(templates()) > 120


@pytest.mark.parametrize("path", templates(), ids=lambda path: path.name)
def test_every_word_of_a_template_is_marked(path: Path) -> None:
    source = path.read_text()

    unmarked = find_unmarked("".join(as_shown(source)), data=NO_WORDS)

    assert [*unmarked, *words_in_tags(source)] == []


@pytest.mark.parametrize(
    ("source", "unmarked"),
    [
        ('<p>{% translate "Good day" %}, {{ name }}!</p>', []),
        ("<p>{% blocktranslate %}Good <b>day</b>{% endblocktranslate %}</p>", []),
        ("<p>Good <b>day</b></p>", ["Good", "day"]),
        ('<img alt="A dog">', ["A dog"]),
        ('<input type="submit" value="Send">', ["Send"]),
        ('<p data-said="Well done">{{ a }}</p>', ["Well done"]),
        ('{% include "a.html" with label="Well done" %}', ["Well done"]),
        ('{{ name|default:"no name" }}', ["no name"]),
        ('{{ name|default:_("no name") }}', []),
        ('data-said="{% translate "Well done" %}" data-unsaid="Well done"', ["Well done"]),
        ("{% comment %}Nobody sees this.{% endcomment %}<script>say('good day')</script>", []),
    ],
)
def test_unmarked_words_are_found_where_they_are(source: str, unmarked: list[str]) -> None:
    assert [*find_unmarked("".join(as_shown(source)), data=NO_WORDS), *words_in_tags(source)] == unmarked
