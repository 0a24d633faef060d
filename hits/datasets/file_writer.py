"""Writing of one file of rows in any of the formats, with reports of progress."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hits.datasets.columns import Column, Row
from hits.datasets.text_formats import csv_lines, jsonl, tsv_lines
from hits.datasets.whole_files import describe, replacing

FORMATS = ("csv", "jsonl", "parquet")
TEXTS = {"csv": csv_lines, "jsonl": jsonl, "tsv": tsv_lines}
# How many rows are written, and of how many.
Tell = Callable[[int, int], None]


def write_rows(path: Path, columns: Sequence[Column], rows: Iterable[Row], *, form: str) -> dict[str, Any]:
    """Write the file and return its name, size and SHA-256."""
    with replacing(path) as file:
        if form in TEXTS:
            file.writelines(TEXTS[form](columns, rows))
        else:
            from hits.datasets.parquet import write_parquet  # noqa: PLC0415 - loads Arrow

            write_parquet(columns, rows, file)
    return describe(path)


class RowCounter:
    """Counter of rows that reports its progress at intervals."""

    EVERY = 500

    def __init__(self, of: int, tell: Tell) -> None:
        self.done, self._of, self._tell = 0, of, tell

    def through(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            yield row
            self.done += 1
            if self.done % self.EVERY == 0:
                self._tell(self.done, self._of)
