"""A model's scores as a file: CSV or JSON Lines, a row for each example or for each combination."""

import csv
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crowd.winoground.domain import PLACES
from crowd.winoground.domain.scores import Four
from hits.errors import InvalidItems
from hits.problems import Problems

EXAMPLE = "example"
# A row for each combination; a row for each example.
LONG = ("caption", "image", "score")
WIDE = tuple(f"c{caption}_i{image}" for caption, image in PLACES)
SIDES = {"0": 0, "1": 1}
SHOWN = 40
Line = tuple[int, Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Known:
    """By number and by id: the examples that can be scored, and why others cannot."""

    examples: Mapping[str, int]
    others: Mapping[str, str]

    def find(self, name: str) -> int:
        if name in self.examples:
            return self.examples[name]
        if name in self.others:
            words = f"is {self.others[name]}. Only those that workers are asked about are scored."
            raise ValueError(f"example {name} {words}")
        raise ValueError(f"there is no example “{name:.{SHOWN}}”. Give its number or its id.")


@dataclass
class Found:
    """What was read so far: of each example its scores by place, and the lines they stand in."""

    values: dict[int, dict[int, float]] = field(default_factory=dict)
    lines: dict[tuple[int, int], int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)

    def add(self, example: int, place: int, value: float, *, name: str, line: int) -> None:
        if before := self.lines.get((example, place)):
            raise ValueError(f"example {name} has {WIDE[place]} in line {before} already.")
        self.lines[example, place] = line
        self.names.setdefault(example, name)
        self.values.setdefault(example, {})[place] = value


def read_scores(file: Iterable[bytes], *, known: Known) -> dict[int, Four]:
    """Four of each example that is named. Raises InvalidItems with every line that is wrong."""
    problems, found = Problems(), Found()
    for line, row in _rows(_texts(file), problems):
        try:
            _read_row(row, found, known=known, line=line)
        except ValueError as problem:
            problems.say(f"Line {line}: {problem}")
    for example, values in found.values.items():
        lacking = [WIDE[place] for place in range(len(PLACES)) if place not in values]
        if lacking:
            words = ", ".join(lacking)
            problems.say(f"Example {found.names[example]}: add {words}, or leave the example out.")
    if not found.values:
        problems.say("The file has no scores.")
    problems.refuse()
    return {
        example: Four(*(values[place] for place in range(len(PLACES))))
        for example, values in found.values.items()
    }


def _texts(file: Iterable[bytes]) -> Iterator[str]:
    for number, line in enumerate(file, start=1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise InvalidItems([f"Line {number}: it is not UTF-8 text."]) from None


def _rows(texts: Iterator[str], problems: Problems) -> Iterator[Line]:
    """JSON Lines if the first line that says something begins with a brace, and CSV otherwise."""
    for blank, text in enumerate(texts):
        if text.strip():
            rest = _with_first(text, texts)
            if text.lstrip().startswith("{"):
                return _json_rows(rest, problems, before=blank)
            return _csv_rows(rest, problems, before=blank)
    return iter(())


def _with_first(text: str, texts: Iterator[str]) -> Iterator[str]:
    yield text
    yield from texts


def _json_rows(texts: Iterator[str], problems: Problems, *, before: int) -> Iterator[Line]:
    for line, text in enumerate(texts, start=before + 1):
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict):
            yield line, row
        else:
            problems.say(f"Line {line}: it is no JSON object.")


def _csv_rows(texts: Iterator[str], problems: Problems, *, before: int) -> Iterator[Line]:
    reader = csv.reader(texts, strict=True)
    names: Sequence[str] = ()
    line = before
    try:
        for row in reader:
            start, line = line + 1, before + reader.line_num
            cells = [cell.strip() for cell in row]
            if not any(cells):
                continue
            if not names:
                names = _heading(cells, line=start)
            elif len(cells) == len(names):
                yield start, dict(zip(names, cells, strict=True))
            else:
                problems.say(f"Line {start}: it has {len(cells)} cells, and the first line {len(names)}.")
    except csv.Error as error:
        raise InvalidItems([f"Line {line + 1}: it is not CSV ({error})."]) from None


def _heading(cells: Sequence[str], *, line: int) -> Sequence[str]:
    names = [cell.lower() for cell in cells]
    if any(all(names.count(name) == 1 for name in (EXAMPLE, *form)) for form in (WIDE, LONG)):
        return names
    wide, long = ", ".join((EXAMPLE, *WIDE)), ", ".join((EXAMPLE, *LONG))
    raise InvalidItems([f"Line {line}: it must name the columns {wide}; or {long}. Others are skipped."])


def _read_row(row: Mapping[str, Any], found: Found, *, known: Known, line: int) -> None:
    name = str(row.get(EXAMPLE, "")).strip().lower()
    if not name:
        raise ValueError(f"it names no {EXAMPLE}.")
    example = known.find(name)
    for place, value in _cells(row):
        found.add(example, place, value, name=name, line=line)


def _cells(row: Mapping[str, Any]) -> list[tuple[int, float]]:
    """Empty cells of an example say that the model has none."""
    if any(name in row for name in WIDE):
        given = [(place, row.get(name)) for place, name in enumerate(WIDE)]
        return [(place, _number(value, WIDE[place])) for place, value in given if value not in ("", None)]
    if any(name not in row for name in LONG):
        raise ValueError(f"give {', '.join(LONG)}; or {', '.join(WIDE)}.")
    place = PLACES.index((_side(row["caption"], "caption"), _side(row["image"], "image")))
    return [(place, _number(row["score"], "score"))]


def _side(value: Any, name: str) -> int:
    if isinstance(value, bool) or str(value) not in SIDES:
        raise ValueError(f"{name} is “{value!s:.{SHOWN}}”; it must be 0 or 1.")
    return SIDES[str(value)]


def _number(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or "_" in str(value) or not math.isfinite(number):
        raise ValueError(f"{name} is “{value!s:.{SHOWN}}”, which is no finite number.")
    return number
