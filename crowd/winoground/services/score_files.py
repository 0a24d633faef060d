"""A model's scores as a file: CSV or JSON Lines, a row for each example or for each combination."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from crowd.winoground.domain import PLACES
from crowd.winoground.domain.scores import Four
from hits.common.uploads import (
    Problems,
    Row,
    UploadedColumn,
    is_blank,
    read_number,
    read_text,
    read_uploaded,
)
from hits.errors import InvalidItems

EXAMPLE = "example"
# A row for each combination; a row for each example.
LONG = ("caption", "image", "score")
WIDE = tuple(f"c{caption}_i{image}" for caption, image in PLACES)
SIDES = {"0": 0, "1": 1}
SHOWN = 40


def _read_side(value: Any) -> int | None:
    if is_blank(value):
        return None
    if isinstance(value, bool) or str(value).strip() not in SIDES:
        raise ValueError(f"is “{value!s:.{SHOWN}}”; it must be 0 or 1.")
    return SIDES[str(value).strip()]


def _read_name(value: Any) -> str:
    return read_text(value).lower()


COLUMNS = (
    UploadedColumn(name=EXAMPLE, read=_read_name),
    *(UploadedColumn(name=name, read=read_number, needed=False) for name in WIDE),
    *(UploadedColumn(name=name, read=_read_side, needed=False) for name in LONG[:2]),
    UploadedColumn(name=LONG[2], read=read_number, needed=False),
)


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


def read_scores(file: BinaryIO, *, known: Known) -> dict[int, Four]:
    """Four of each example that is named. Raises InvalidItems with every line that is wrong."""
    problems, found = Problems(InvalidItems), Found()
    for row in read_uploaded(file, columns=COLUMNS, any_of=(WIDE, LONG), problems=problems):
        with problems.of(row.place):
            _read_row(row, found, known=known)
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


def _read_row(row: Row, found: Found, *, known: Known) -> None:
    """Empty cells of an example say that the model has none."""
    name = row.cells[EXAMPLE]
    example = known.find(name)
    for place, value in _values(row.cells):
        found.add(example, place, value, name=name, line=row.line)


def _values(cells: Mapping[str, Any]) -> list[tuple[int, float]]:
    given = [cells[name] for name in LONG]
    if any(value is not None for value in given):
        caption, image, score = given
        if None in given:
            raise ValueError(f"give all of {', '.join(LONG)}.")
        return [(PLACES.index((caption, image)), score)]
    return [(place, cells[name]) for place, name in enumerate(WIDE) if cells[name] is not None]
