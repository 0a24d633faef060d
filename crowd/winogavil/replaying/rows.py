"""The rows of a recording's CSV files, as they are written. Nothing here uses the database."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hits.common.uploads import UploadedColumn, as_written
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.row_reader import Row, read_uploaded

ASSOCIATIONS = "associations.csv"
SOLUTIONS = "solutions.csv"
COLUMNS: Mapping[str, Sequence[str]] = {
    ASSOCIATIONS: ("association", "worker", "candidates", "cue", "selected", "rival_prediction"),
    SOLUTIONS: ("association", "worker", "selected"),
}


def _read_list(value: Any) -> list[str]:
    try:
        names = json.loads(value)
    except (ValueError, RecursionError):
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError('must be a JSON list of names, such as ["tea", "pile"].')
    return [as_written(name) for name in names]


READ: Mapping[str, Callable[[Any], Any]] = dict.fromkeys(
    ("candidates", "selected", "rival_prediction"), _read_list
)


def read_rows(path: Path, *, problems: Problems) -> Iterator[Row]:
    """Read rows; cells with several names become lists of texts, all others texts."""
    columns = [
        UploadedColumn(name=name, read=READ.get(name, as_written), may_be_empty=name == "cue")
        for name in COLUMNS[path.name]
    ]
    return read_uploaded(path, columns=columns, problems=problems)
