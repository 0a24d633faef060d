"""The rows of a recording's CSV files, as they are written. Nothing here knows a database."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from hits import recorded_rows
from hits.problems import Problems
from hits.recorded_rows import UNFIT, Row

ASSOCIATIONS = "associations.csv"
SOLUTIONS = "solutions.csv"
LISTS = ("candidates", "selected", "rival_prediction")
NEVER_EMPTY = ("association", "worker")
COLUMNS = {
    ASSOCIATIONS: ("association", "worker", "candidates", "cue", "selected", "rival_prediction"),
    SOLUTIONS: ("association", "worker", "selected"),
}


def read_rows(path: Path, *, problems: Problems) -> Iterator[Row]:
    """Lists of texts in the columns of LISTS, texts in the others."""
    columns = COLUMNS[path.name]
    read_cells = partial(_read_cells, columns=columns)
    return recorded_rows.read_rows(path, columns=columns, read_cells=read_cells, problems=problems)


def _read_cells(texts: Mapping[str, str], *, columns: Sequence[str]) -> dict[str, Any]:
    """Raises ValueError with what to mend."""
    if empty := [name for name in NEVER_EMPTY if not texts[name]]:
        raise ValueError(f"{' and '.join(empty)} must not be empty.")
    return {name: _read_cell(name, texts[name]) for name in columns}


def _read_cell(name: str, text: str) -> str | list[str]:
    value = _read_list(name, text) if name in LISTS else text
    if any(UNFIT.search(one) for one in ([value] if isinstance(value, str) else value)):
        raise ValueError(f"{name} holds a NUL or half a character.")
    return value


def _read_list(name: str, text: str) -> list[str]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f'{name} must be a JSON list of names, such as ["tea", "pile"].')
    return values
