"""Reading of a file into its right rows, one at a time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from hits.common.uploads import formats
from hits.common.uploads.columns import Groups, Layout, UploadedColumn
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.text_lines import Lines, opened


class Row(NamedTuple):
    """One row and the line that it begins in; `place` names that line to a person."""

    line: int
    place: str
    cells: Mapping[str, Any]


def read_uploaded(
    content: bytes | BinaryIO | Path,
    *,
    columns: Sequence[UploadedColumn],
    problems: Problems,
    most: int | None = None,
    any_of: Groups = (),
    unknown: bool = True,
    headed: bool = True,
) -> Iterator[Row]:
    """Yield each right row as it is read. Wrong rows become problems; a wrong file raises their error.

    `any_of`: groups of columns of which a heading has one whole. `unknown`: further columns are skipped.
    A path is a recording's file: named in each problem, read as it is written, and possibly without rows.
    `headed`: without it, a first row that names no needed column is a row itself.
    """
    layout = Layout(columns=columns, any_of=any_of, unknown=unknown)
    is_recording, count = isinstance(content, Path), 0
    with opened(content, problems=problems) as lines:
        for line, read in _found(lines, layout, is_headed=headed, trims=not is_recording):
            count += 1
            if most is not None and count > most:
                lines.stop(f"A file has at most {most:,} lines; this one has more. Cut it into several.")
            if cells := _read(read, layout, line=line, place=lines.place(line), problems=problems):
                yield Row(line, lines.place(line), cells)
        if not count and not is_recording:
            lines.stop("The file has a heading and no line below it.")


def _found(lines: Lines, layout: Layout, *, is_headed: bool, trims: bool) -> formats.Found:
    first = lines.first_sign()
    if first not in ("[", "{"):
        return _csv_rows(lines, layout, is_headed=is_headed, trims=trims)
    objects = formats.json_list(lines) if first == "[" else formats.json_lines(lines)
    return ((line, partial(_picked, read, layout)) for line, read in objects)


def _picked(read: Callable[[], Any], layout: Layout) -> Mapping[str, Any]:
    return layout.pick(read())


def _csv_rows(lines: Lines, layout: Layout, *, is_headed: bool, trims: bool) -> formats.Found:
    records = formats.csv_records(lines, trims=trims)
    names: Sequence[str] = ()
    for number, (line, cells) in enumerate(records):
        if number == 0 and (is_headed or layout.is_heading(cells)):
            names = _heading(cells, layout, lines)
        else:
            yield line, partial(layout.by_name, cells, names) if names else partial(layout.by_place, cells)


def _heading(cells: Sequence[str], layout: Layout, lines: Lines) -> Sequence[str]:
    try:
        return layout.read_heading(cells)
    except ValueError as error:
        lines.stop(str(error))


def _read(
    read: Callable[[], Mapping[str, Any]], layout: Layout, *, line: int, place: str, problems: Problems
) -> Mapping[str, Any] | None:
    """Return the row's cells, or None if anything is wrong with it."""
    try:
        cells, faults = layout.read_cells(read())
    except ValueError as error:
        cells, faults = {}, [str(error)]
    for words in faults:
        problems.say(f"{place}: {words}", line=line)
    return None if faults else cells
