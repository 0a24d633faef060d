"""How the data of a release are cited."""

import re
from collections.abc import Mapping

from crowd.boards.models import Board

# What BibTeX would read as a mark of its own.
MARKS: Mapping[str, str] = {
    "\\": r"\textbackslash{}",
    **{one: f"\\{one}" for one in "{}%&$#_"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def citation_of(board: Board, *, address: str) -> str:
    """Return the researchers' own words, or a line about these data."""
    release = board.release
    if board.citation.strip():
        return board.citation.strip()
    return f"{_author(board)} ({_year(board)}). {release.title}, version {release.version}. {address}"


def bibtex_of(board: Board, *, address: str) -> str:
    release = board.release
    key = re.sub(r"[^a-z0-9]+", "", release.title.casefold())[:24] or "release"
    fields = {
        "author": f"{{{_marked(_author(board))}}}",
        "title": f"{{{_marked(release.title)}}}, version {_marked(release.version)}",
        "year": _year(board),
        "url": address,
    }
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@misc{{{key}{_year(board)},\n{lines}\n}}"


def _author(board: Board) -> str:
    study = board.release.study
    return study.lab or study.name


def _year(board: Board) -> str:
    return f"{(board.release.released_at or board.release.made_at):%Y}"


def _marked(text: str) -> str:
    return "".join(MARKS.get(sign, sign) for sign in text)
