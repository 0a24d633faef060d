"""What should come in, line by line: from a list, or from the names of the files themselves."""

import csv
import unicodedata
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from io import StringIO

from crowd.pictures import domain
from crowd.pictures.bringing.addresses import read_target
from crowd.pictures.bringing.sources import Source
from crowd.pictures.errors import BadPicture, NotFetched
from hits.errors import InvalidItems

MOST_LINES = 20_000
LONGEST = {"concept": domain.LONGEST_CONCEPT, "caption": 500, "source": 500, "credit": 500, "licence": 64}
PLACES = ("file", "url")
COLUMNS = (*LONGEST, *PLACES)
SPELLINGS = {"license": "licence", "address": "url", "path": "file", "filename": "file"}


class ConceptFrom(StrEnum):
    """What of a file's name says what it shows, where no list does."""

    FILE = "file"
    FOLDER = "folder"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One picture that should come in. `place` is what the researcher finds it by."""

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
    """The lines that are right, and words about each of the others."""

    lines: list[Line] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def read_list(content: bytes, *, files: Container[str]) -> Reading:
    """Of a CSV file; `files` are those that may be named. Raises InvalidItems if it is no list at all."""
    reading = Reading()
    seen: dict[str, str] = {}
    for place, cells in _rows(content, reading.problems):
        line = Line(place=place, **cells)
        problem = _doubt(line, files) or _repeated(line, seen)
        if problem:
            reading.problems.append(f"{place}: {problem}")
        else:
            seen.setdefault(line.file or line.url, place)
            reading.lines.append(line)
    if not reading.lines and not reading.problems:
        raise InvalidItems(["The list has a heading and no line below it."])
    return reading


def read_names(names: Sequence[str], *, concept_from: ConceptFrom) -> Reading:
    """Each file's own name, or its folder's, says what it shows."""
    reading = Reading()
    concept_of = domain.concept_of_folder if concept_from is ConceptFrom.FOLDER else domain.concept_of_file
    for name in names:
        line = Line(place=name, concept=concept_of(name), file=name)
        if problem := _doubt(line, {name}):
            reading.problems.append(f"{name}: {problem}")
        else:
            reading.lines.append(line)
    return reading


def read_source(source: Source, *, concept_from: ConceptFrom) -> Reading:
    """By the one list that lies among the files, if there is one; otherwise by the names."""
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
    return read_list(content, files=source)


def _rows(content: bytes, problems: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    text = _decode(content)
    if not text.strip():
        raise InvalidItems(["The list is empty."])
    heading = text.lstrip().splitlines()[0]
    reader = csv.reader(
        StringIO(text, newline=""),
        delimiter=max(",;\t", key=heading.count),
        strict=True,
        skipinitialspace=True,
    )
    names: list[str] = []
    number = count = 0
    try:
        for cells in reader:
            start, number = number + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if not names:
                names = _read_heading(cells)
                continue
            count += 1
            if count > MOST_LINES:
                raise InvalidItems([f"A list has at most {MOST_LINES} lines. Cut it into several."])
            if len(cells) != len(names):
                problems.append(
                    f"Line {start}: it has {len(cells)} fields, and the heading {len(names)}. "
                    "Put a field that holds the separator into quotation marks."
                )
                continue
            yield f"Line {start}", dict(zip(names, map(str.strip, cells), strict=True))
    except csv.Error as error:
        raise InvalidItems(
            [f"Line {number + 1} cannot be read ({error}). Look for a quotation mark that is not closed."]
        ) from None


def _decode(content: bytes) -> str:
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InvalidItems(
            [f"Line {line} is not UTF-8 text. Save the list again as “CSV UTF-8”, and upload that."]
        ) from None
    if "\0" in text:
        raise InvalidItems(["This is not a text file. Save the sheet as CSV, and upload that."])
    return unicodedata.normalize("NFC", text)


def _read_heading(cells: Sequence[str]) -> list[str]:
    lowered = [cell.strip().casefold() for cell in cells]
    names = [SPELLINGS.get(name, name) for name in lowered]
    problems = []
    if unknown := [name for name in names if name not in COLUMNS]:
        problems.append(f"It has no use for: {', '.join(unknown)}. Take these columns out.")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        problems.append(f"These are there twice: {', '.join(twice)}.")
    if "concept" not in names or not set(PLACES) & set(names):
        problems.append("It must have concept, and file or url.")
    if problems:
        known = f"{', '.join(COLUMNS[:-1])} and {COLUMNS[-1]}"
        raise InvalidItems([f"The first line names the columns: {known}. {' '.join(problems)}"])
    return names


def _doubt(line: Line, files: Container[str]) -> str:
    """Why a line cannot become a picture."""
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
