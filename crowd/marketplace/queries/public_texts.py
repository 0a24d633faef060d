"""The operator's own terms and privacy text, kept as files in the data folder."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal

from django.conf import settings

NAMES = ("terms", "privacy")
Kind = Literal["paragraph", "heading", "list"]


@dataclass(frozen=True, kw_only=True)
class TextBlock:
    """A paragraph, a heading or a list of a text; a list has its items in `lines`."""

    kind: Kind
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def path_of(name: str) -> Path:
    return Path(settings.DATA_DIR) / "pages" / f"{name}.txt"


def read_own_text(name: str) -> list[TextBlock]:
    """The blocks of the operator's own text; none if there is no file, or an empty one."""
    try:
        text = path_of(name).read_text(encoding="utf-8-sig", errors="replace")
    except FileNotFoundError:
        return []
    paragraphs = "\n".join(line.strip() for line in text.splitlines()).split("\n\n")
    return [block for one in paragraphs for block in _read_blocks(one.splitlines())]


def is_utf_8(name: str) -> bool:
    """Whether workers read the operator's own text as it was written; also if there is none."""
    try:
        path_of(name).read_text(encoding="utf-8")
    except FileNotFoundError:
        return True
    except UnicodeDecodeError:
        return False
    return True


def _read_blocks(lines: list[str]) -> Iterator[TextBlock]:
    """Read the lines between two empty ones: a heading or a list may follow a text at once."""
    for kind, found in groupby(filter(None, lines), key=_kind_of):
        texts = tuple(line.removeprefix("# " if kind == "heading" else "- ") for line in found)
        if kind == "heading":
            yield from (TextBlock(kind=kind, lines=(text,)) for text in texts)
        else:
            yield TextBlock(kind=kind, lines=texts)


def _kind_of(line: str) -> Kind:
    if line.startswith("# "):
        return "heading"
    return "list" if line.startswith("- ") else "paragraph"
