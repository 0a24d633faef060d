"""The operator's own terms and privacy text, kept as files in the data folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from django.conf import settings

NAMES = ("terms", "privacy")


@dataclass(frozen=True, kw_only=True)
class TextBlock:
    """A paragraph, a heading or a list of a text; a list has its items in `lines`."""

    kind: Literal["paragraph", "heading", "list"]
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
    return [_read_block(one.splitlines()) for one in (part.strip() for part in paragraphs) if one]


def _read_block(lines: list[str]) -> TextBlock:
    if all(line.startswith("- ") for line in lines):
        return TextBlock(kind="list", lines=tuple(line.removeprefix("- ") for line in lines))
    if len(lines) == 1 and lines[0].startswith("# "):
        return TextBlock(kind="heading", lines=(lines[0].removeprefix("# "),))
    return TextBlock(kind="paragraph", lines=tuple(lines))
