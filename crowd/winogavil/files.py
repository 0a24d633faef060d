"""The columns of a researcher's file of associations. Nothing here uses the database."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hits.common.uploads import UploadedColumn, as_written, example_file, read_text
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.row_reader import read_uploaded

MOST_ROWS = 5_000
BETWEEN = "|"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One association as the file has it; `place` tells the researcher where in the file it is."""

    place: str
    cue: str
    candidates: tuple[str, ...]
    chosen: tuple[str, ...]


def _read_cue(value: Any) -> str:
    return unicodedata.normalize("NFC", read_text(value))


def _read_names(value: Any) -> tuple[str, ...]:
    """Read names in the composed Unicode form (NFC), in which the pool's names are written and compared."""
    names = value if isinstance(value, list) else as_written(value).split(BETWEEN)
    return tuple(unicodedata.normalize("NFC", as_written(name)).strip() for name in names)


COLUMNS = (
    UploadedColumn(name="cue", help="one word", example="snow", read=_read_cue),
    UploadedColumn(
        name="candidates",
        help=f"5, 6, 10 or 12 pictures of the pool, separated by {BETWEEN}",
        example="snowman|ice|fire|owl|bee",
        read=_read_names,
    ),
    UploadedColumn(
        name="chosen", help="those that belong to the cue", example="snowman|ice", read=_read_names
    ),
)


def read_lines(content: bytes, *, problems: Problems) -> Iterator[Line]:
    for row in read_uploaded(content, columns=COLUMNS, most=MOST_ROWS, problems=problems):
        yield Line(place=row.place, **row.cells)


def write_lines(*lines: tuple[str, Sequence[str], Sequence[str]]) -> str:
    """File as it could be uploaded, of (cue, candidates, chosen); without lines, the columns' own example."""
    rows = [(cue, BETWEEN.join(candidates), BETWEEN.join(chosen)) for cue, candidates, chosen in lines]
    return example_file(COLUMNS, *rows)
