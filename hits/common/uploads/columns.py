"""Columns of a file: their names in every spelling, and what is said about them."""

import csv
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from typing import Any

from hits.common.uploads.cells import is_blank, read_text

MOST_NAMED = 5
SHOWN = 40
QUOTED = "Put a field that holds the separator into quotation marks."
Groups = Sequence[Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class UploadedColumn:
    """One column that a file may have. `read` raises ValueError with words that follow the column's name."""

    name: str
    help: str = ""
    example: str = ""
    read: Callable[[Any], Any] = read_text
    # Every file has such a column, and every row has a value in it.
    needed: bool = True
    # A needed column that the file has, in which a row may be empty.
    may_be_empty: bool = False
    # Other names of it, as other programs write them.
    also: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Columns of one kind of file, and how its rows are read."""

    columns: Sequence[UploadedColumn]
    any_of: Groups
    unknown: bool

    @cached_property
    def needed(self) -> Sequence[str]:
        return [column.name for column in self.columns if column.needed]

    @cached_property
    def _spellings(self) -> Mapping[str, str]:
        named = ((name, column.name) for column in self.columns for name in (column.name, *column.also))
        return {name.casefold(): column for name, column in named}

    def name(self, heading: str) -> str:
        """Return the column's own name for any of its spellings; an unknown heading stays as it is."""
        return self._spellings.get(heading.strip().casefold(), heading.strip())

    def is_ours(self, name: str) -> bool:
        return name.casefold() in self._spellings

    def is_heading(self, cells: Sequence[str]) -> bool:
        return any(self.name(cell) in self.needed for cell in cells)

    def read_heading(self, cells: Sequence[str]) -> Sequence[str]:
        """Return the columns' names. Raises ValueError with everything that is wrong with the heading."""
        names = [self.name(cell) for cell in cells]
        if said := [*self._faults(Counter(names))]:
            known = all_of([column.name for column in self.columns])
            raise ValueError(f"The first line names the columns {known}. {' '.join(said)}")
        return names

    def by_name(self, cells: Sequence[str], names: Sequence[str]) -> Mapping[str, str]:
        if len(cells) != len(names):
            raise ValueError(f"it has {len(cells)} fields, and the heading {len(names)}. {QUOTED}")
        return dict(zip(names, cells, strict=True))

    def by_place(self, cells: Sequence[str]) -> Mapping[str, str]:
        """Name cells without a heading: all columns, or the needed ones before cells that are skipped."""
        names = self.needed if len(cells) < len(self.columns) else [one.name for one in self.columns]
        if len(cells) < len(names) or (len(cells) > len(names) and not self.unknown):
            raise ValueError(f"it has {len(cells)} fields. A line has {all_of(self.needed)}. {QUOTED}")
        return dict(zip(names, cells, strict=False))

    def pick(self, raw: Any) -> Mapping[str, Any]:
        """Return a JSON object's values by the columns' names. Raises ValueError if that is impossible."""
        if not isinstance(raw, dict):
            raise ValueError(f"it must be an object with {all_of(self.needed)}.")  # noqa: TRY004
        named = {self.name(name): value for name, value in raw.items()}
        if len(named) < len(raw) or not self.unknown:
            names = Counter(map(self.name, raw))
            if said := [*self._strangers(names), *self._twice(names, self._spellings.values())]:
                raise ValueError(" ".join(said))
        if self.any_of and not any(name in named for group in self.any_of for name in group):
            raise ValueError(self._wanted())
        return named

    def read_cells(self, raw: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[str]]:
        """Return the values of the cells, and what is wrong with those that have none."""
        cells, faults = {}, []
        for column in self.columns:
            value = raw.get(column.name)
            try:
                if column.needed and not column.may_be_empty and is_blank(value):
                    raise ValueError("must not be empty.")
                cells[column.name] = column.read("" if value is None else value)
            except ValueError as error:
                faults.append(f"{column.name} {error}")
        return cells, faults

    def _faults(self, names: Counter[str]) -> Sequence[str]:
        said = [*self._strangers(names)]
        if missing := [name for name in self.needed if names[name] != 1]:
            said.append(f"Each must appear once: {', '.join(missing)}.")
        said += self._twice(names, [one.name for one in self.columns if not one.needed])
        if self.any_of and not any(all(names[name] for name in group) for group in self.any_of):
            said.append(self._wanted())
        return said

    def _wanted(self) -> str:
        between = " or " if all(len(group) == 1 for group in self.any_of) else ", or "
        groups = between.join(all_of(group) for group in self.any_of)
        return f"It must have {', '.join(self.needed)}, and {groups}."

    def _strangers(self, names: Counter[str]) -> Sequence[str]:
        strangers = [] if self.unknown else [name for name in names if not self.is_ours(name)]
        return [f"It has unknown columns: {_some(strangers)}. Remove them."] if strangers else []

    def _twice(self, names: Counter[str], among: Any) -> Sequence[str]:
        twice = sorted({name for name in among if names[name] > 1})
        return [f"These appear twice: {_some(twice)}."] if twice else []


def file_help(columns: Sequence[UploadedColumn], *, more: str = "", unknown: bool = True) -> str:
    """Return a description of such a file, for the person who has to write one."""
    named = [f"{one.name} ({one.help})" if one.help else one.name for one in columns]
    said = [f"CSV or JSON with the columns {all_of(named)}.", more]
    said += ["Further columns are not read."] if unknown else []
    said += ["If any line is wrong, nothing is added and every wrong line is named."]
    return " ".join(filter(None, said))


def example_file(columns: Sequence[UploadedColumn], *rows: Sequence[str]) -> str:
    """Return a file that could be uploaded as it is, with these rows or each column's own example."""
    out = StringIO()
    example = [one.example for one in columns]
    csv.writer(out, lineterminator="\n").writerows([[one.name for one in columns], *(rows or [example])])
    return out.getvalue()


def all_of(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _some(names: Sequence[str]) -> str:
    named = ", ".join(f"{name:.{SHOWN}}" for name in names[:MOST_NAMED])
    return f"{named} and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else named
