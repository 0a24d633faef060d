"""Lines of a description, each put where it belongs; faults name the number of their line."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from crowd.plain.domain.pages import SHOWN, Kind
from crowd.plain.domain.texts import column_name

LINE = re.compile(r"([A-Za-z]+)(?::\s*(.*))?")

TAKES: Mapping[Kind, frozenset[str]] = {
    Kind.SAY: frozenset(),
    Kind.PICTURE: frozenset(),
    Kind.TEXT: frozenset({"ask", "help", "only", "optional", "longest"}),
    Kind.CHOICE: frozenset({"ask", "help", "only", "optional", "-"}),
    Kind.CHOICES: frozenset({"ask", "help", "only", "optional", "-"}),
    Kind.SCALE: frozenset({"ask", "help", "only", "optional", "from", "to"}),
    Kind.NUMBER: frozenset({"ask", "help", "only", "optional", "least", "most", "whole"}),
}
FLAGS = frozenset({"optional", "whole"})
ATTRIBUTES = frozenset().union(*TAKES.values()) - {"-"}


@dataclass(frozen=True, kw_only=True)
class Fault:
    line: int
    reason: str

    def __str__(self) -> str:
        return f"Line {self.line}: {self.reason}"


@dataclass(kw_only=True)
class Draft:
    """A part as far as it is read: the line and the text of each attribute."""

    kind: Kind
    line: int
    name: str
    said: dict[str, tuple[int, str]] = field(default_factory=dict)
    options: list[tuple[int, str]] = field(default_factory=list)

    def text(self, name: str) -> str:
        return self.said.get(name, (0, ""))[1]


@dataclass(kw_only=True)
class Reader:
    title: tuple[int, str] = (1, "")
    about: list[tuple[int, str]] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    worked: tuple[int, str] = (0, "")
    drafts: list[Draft] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    # No line has been read yet in this paragraph.
    is_first: bool = True
    # The paragraph began with an unknown word: the lines below it belong to no part.
    is_lost: bool = False

    def end_paragraph(self) -> None:
        self.is_first, self.is_lost = True, False

    def blame(self, line: int, reason: str) -> None:
        self.faults.append(Fault(line=line, reason=reason))

    def take(self, line: int, text: str) -> None:
        self._take(line, text)
        self.is_first = False

    def _take(self, line: int, text: str) -> None:
        if text.startswith("-"):
            self._take_option(line, text[1:].strip())
            return
        found = LINE.fullmatch(text)
        word = found[1].lower() if found else ""
        if found is None or (found[2] is None and word not in FLAGS):
            self.blame(line, "it begins with no known word and a colon, nor with a dash.")
            return
        value = (found[2] or "").strip()
        if word in FLAGS and found[2] is not None:
            self.blame(line, f"“{word}” stands alone, without a colon.")
        elif word not in FLAGS and not value:
            self.blame(line, f"“{word}:” has nothing after it.")
        else:
            self._take_word(line, word, value)

    def _take_word(self, line: int, word: str, value: str) -> None:
        if word in ATTRIBUTES:
            self._take_attribute(line, word, value)
        elif word in list(Kind):
            self.drafts.append(Draft(kind=Kind(word), line=line, name=value))
            self.is_lost = False
        elif word == "about":
            self.about.append((line, value))
        elif word == "worked" and self.worked[1]:
            self.blame(line, f"“worked” was said in line {self.worked[0]} already.")
        elif word == "worked":
            self.worked = (line, value)
        elif word == "keep":
            self.kept += [name for part in value.split(",") if (name := column_name(part))]
        elif word != "title":
            self.blame(line, f"“{word}” is no word of a description.")
            self.is_lost = self.is_first
        elif self.title[1]:
            self.blame(line, f"there is a title in line {self.title[0]} already.")
        else:
            self.title = (line, value)

    def _take_attribute(self, line: int, word: str, value: str) -> None:
        if self.is_lost:
            return
        draft = self.drafts[-1] if self.drafts else None
        if draft is None or draft.kind in SHOWN:
            self.blame(line, f"“{word}” belongs below a question, and none is above it.")
        elif word not in TAKES[draft.kind]:
            self.blame(line, f"“{draft.kind}” has no “{word}”.")
        elif word in draft.said:
            self.blame(line, f"“{word}” was said in line {draft.said[word][0]} already.")
        else:
            draft.said[word] = (line, value)

    def _take_option(self, line: int, value: str) -> None:
        if self.is_lost:
            return
        if not self.drafts or "-" not in TAKES[self.drafts[-1].kind]:
            self.blame(line, "an option belongs below a “choice” or “choices”.")
        elif not value:
            self.blame(line, "the option is empty.")
        else:
            self.drafts[-1].options.append((line, value))
