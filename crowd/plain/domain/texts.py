"""Texts of a page, which name columns of a row: `{{ name }}` stands for what the row has there.

This is no template language: a text is cut into pieces once, and what a row has is never read again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

OPENING, CLOSING = "{{", "}}"


class BadText(ValueError):
    """A fault of a text. The message says what is wrong with it, as the end of a sentence."""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A piece of a text: words as they are, or the name of a column."""

    words: str
    is_column: bool


def column_name(text: str) -> str:
    """The name by which a column is known: in small letters, with single spaces."""
    return " ".join(text.split()).lower()


def pieces_of(text: str) -> list[Piece]:
    """Pieces of a text. Raises BadText for braces that are not closed or name nothing."""
    return list(_cut(text))


def columns_in(text: str) -> set[str]:
    return {piece.words for piece in pieces_of(text) if piece.is_column}


def fill(text: str, cells: Mapping[str, str]) -> str:
    """The text with the row's cells for its columns. The code that shows it escapes all of it alike."""
    return "".join(
        cells.get(piece.words, "") if piece.is_column else piece.words for piece in pieces_of(text)
    )


def _cut(text: str) -> Iterator[Piece]:
    rest = text
    while OPENING in rest:
        before, _, after = rest.partition(OPENING)
        inside, closing, rest = after.partition(CLOSING)
        name = column_name(inside)
        if not closing or OPENING in inside:
            raise BadText(f"there is “{OPENING}” without “{CLOSING}”.")
        if not name:
            raise BadText(f"between “{OPENING}” and “{CLOSING}” no column is named.")
        if before:
            yield Piece(words=before, is_column=False)
        yield Piece(words=name, is_column=True)
    if rest:
        yield Piece(words=rest, is_column=False)
