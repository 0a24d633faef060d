"""Lines that say what should come in, from a list or from the names of the files themselves."""

import unicodedata
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from crowd.pictures import domain
from crowd.pictures.bringing.public_addresses import read_target
from crowd.pictures.bringing.sources import Source
from crowd.pictures.errors import BadPicture, NotFetched
from hits.common.uploads import UploadedColumn, as_written
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.row_reader import read_uploaded
from hits.core.errors import InvalidItems
from qualifications.domain.association_files import fold

MOST_LINES = 20_000
LONGEST = {"concept": domain.LONGEST_CONCEPT, "caption": 500, "source": 500, "credit": 500, "licence": 64}
PLACES = ("file", "url")
ANY_OF = [[place] for place in PLACES]
SPELLINGS = {"licence": ("license",), "url": ("address",), "file": ("path", "filename")}


def _composed(value: Any) -> str:
    """The text as written, in the Unicode form in which concepts are compared."""
    return unicodedata.normalize("NFC", as_written(value)).strip()


COLUMNS = [
    UploadedColumn(
        name=name,
        read=_composed,
        needed=name == "concept",
        may_be_empty=True,  # _doubt says it in words of its own
        also=SPELLINGS.get(name, ()),
    )
    for name in (*LONGEST, *PLACES)
]


class ConceptFrom(StrEnum):
    """The part of a file's name that says what it shows, where no list does."""

    FILE = "file"
    FOLDER = "folder"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One picture that should come in; the researcher finds it by `place`."""

    place: str
    concept: str
    file: str = ""
    url: str = ""
    caption: str = ""
    source: str = ""
    credit: str = ""
    licence: str = ""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Lines without a fault, and a message about each of the others.

    `empty` lines name no picture, and `unwanted` ones are about other concepts than those wanted.
    """

    lines: list[Line] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    empty: int = 0
    unwanted: int = 0

    def about(self, concepts: Mapping[str, str]) -> "Reading":
        """Only the lines about these concepts, which are spelled as in the values. Keys are folded."""
        spelled = [(line, concepts.get(fold(line.concept))) for line in self.lines]
        kept = [replace(line, concept=concept) for line, concept in spelled if concept]
        return replace(self, lines=kept, unwanted=len(self.lines) - len(kept))


def read_list(content: bytes, *, files: Container[str], is_partial: bool = False) -> Reading:
    """Lines of a list that may name these `files`. Raises InvalidItems if it is not a list at all.

    `is_partial`: the list of wanted concepts, which is filled in as far as there are pictures. Lines without
    one are counted, and further columns are skipped.
    """
    empty = 0
    problems = Problems(InvalidItems, most=MOST_LINES)
    lines: list[Line] = []
    seen: dict[str, str] = {}
    rows = read_uploaded(
        content, columns=COLUMNS, most=MOST_LINES, problems=problems, any_of=ANY_OF, unknown=is_partial
    )
    for row in rows:
        line = Line(place=row.place, **row.cells)
        if is_partial and not (line.file or line.url):
            empty += 1
            continue
        problem = _doubt(line, files) or _repeated(line, seen)
        if problem:
            problems.say(f"{row.place}: {problem}")
        else:
            seen.setdefault(line.file or line.url, row.place)
            lines.append(line)
    return Reading(lines=lines, problems=problems.said, empty=empty)


def read_names(names: Sequence[str], *, concept_from: ConceptFrom) -> Reading:
    """Lines whose concept is in the name of the file, or in its folder's."""
    reading = Reading()
    concept_of = domain.concept_of_folder if concept_from is ConceptFrom.FOLDER else domain.concept_of_file
    for name in names:
        line = Line(place=name, concept=concept_of(name), file=name)
        if problem := _doubt(line, {name}):
            reading.problems.append(f"{name}: {problem}")
        else:
            reading.lines.append(line)
    return reading


def read_source(source: Source, *, concept_from: ConceptFrom, is_partial: bool = False) -> Reading:
    """Lines of the one list among the files, or of the files' names if there is none. Raises InvalidItems."""
    lists = source.lists()
    if len(lists) > 1:
        raise InvalidItems(
            [f"There are {len(lists)} lists among the files ({', '.join(lists[:3])}). Keep one."]
        )
    if not lists:
        if not (names := source.pictures()):
            raise InvalidItems(["There are no pictures among the files: PNG, JPEG, WebP or SVG."])
        return read_names(names, concept_from=concept_from)
    try:
        content = source.read(lists[0])
    except BadPicture as problem:
        raise InvalidItems([f"{lists[0]}: {problem}"]) from problem
    return read_list(content, files=source, is_partial=is_partial)


def _doubt(line: Line, files: Container[str]) -> str:
    """Why a line cannot become a picture; empty if it can."""
    if not line.concept or not domain.words_of(line.concept):
        return "it has no concept. Say in a word what the picture shows."
    if problem := _doubt_words(line):
        return problem
    if bool(line.file) == bool(line.url):
        return "it needs a file or a url, and not both."
    if line.file:
        return "" if line.file in files else f"there is no file “{line.file}” beside the list."
    try:
        read_target(line.url)
    except NotFetched as problem:
        return str(problem)
    return ""


def _doubt_words(line: Line) -> str:
    for name, most in LONGEST.items():
        value = getattr(line, name)
        if len(value) > most:
            return f"the {name} has more than {most} characters."
        if any(unicodedata.category(sign) == "Cc" for sign in value):
            return f"the {name} holds a line break or another control character."
    return ""


def _repeated(line: Line, seen: dict[str, str]) -> str:
    first = seen.get(line.file or line.url)
    return f"it is the same picture as {first.lower()}." if first else ""
