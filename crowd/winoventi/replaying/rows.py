"""Rows of a recording's CSV files, as they are written. Nothing here knows a database."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from crowd.questions.domain import NO, YES
from crowd.winoventi.domain import KINDS
from crowd.winoventi.domain.answers import ALTERNATIVES
from crowd.winoventi.domain.outcomes import QUESTIONS
from hits.common.uploads import UploadedColumn, as_written
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.row_reader import Row, read_uploaded
from hits.core.errors import InvalidItems

EXCEPTIONS = "exceptions.csv"
PROBABILITIES = "probabilities.csv"
PREMISES = "premises.csv"
VALIDATIONS = "validations.csv"
CHOICES = "choices.csv"
TRIPLET = ("noun", "generic", "exception")
COLUMNS: Mapping[str, Sequence[str]] = {
    EXCEPTIONS: ("worker", "noun", "generic", "k", "rank", "perplexity", "makes_sense", *ALTERNATIVES),
    PROBABILITIES: (*TRIPLET, "p_generic", "p_exception"),
    PREMISES: ("worker", *TRIPLET, "sentence", "generic_word", "exception_word"),
    VALIDATIONS: ("worker", *TRIPLET, *QUESTIONS),
    CHOICES: ("worker", *TRIPLET, "kind", "choice"),
}
FILES = tuple(COLUMNS)
# The columns that identify a row of each file.
KEYS: Mapping[str, Sequence[str]] = {
    EXCEPTIONS: ("k", "rank"),
    PROBABILITIES: TRIPLET,
    PREMISES: TRIPLET,
    VALIDATIONS: (*TRIPLET, "worker"),
    CHOICES: (*TRIPLET, "kind", "worker"),
}
LARGEST = 2**31 - 1


def _trimmed(value: Any) -> str:
    return as_written(value).strip()


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 11 and int(text) <= LARGEST


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _read_if(fits: Callable[[str], bool], *, wanted: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        text = _trimmed(value)
        if not fits(text):
            raise ValueError(f"{wanted}, not “{text[:40]}”.")
        return text

    return read


WHOLE = _read_if(_is_whole, wanted="is a whole number")
NUMBER = _read_if(_is_number, wanted="is a number")
ANSWER = _read_if({YES, NO}.__contains__, wanted="is yes or no")
READ: Mapping[str, Callable[[Any], str]] = {
    "k": WHOLE,
    "rank": WHOLE,
    "perplexity": NUMBER,
    "p_generic": NUMBER,
    "p_exception": NUMBER,
    "makes_sense": ANSWER,
    **dict.fromkeys(QUESTIONS, ANSWER),
    "kind": _read_if(frozenset(KINDS).__contains__, wanted="is generic or exception"),
}
# A worker without an exception or a sentence leaves these cells empty.
MAY_BE_EMPTY = (*ALTERNATIVES, "sentence", "generic_word", "exception_word", "choice")


def read_rows(path: Path, *, problems: Problems | None = None) -> Iterator[Row]:
    """Rows of a file, their cells trimmed."""
    columns = [
        UploadedColumn(name=name, read=READ.get(name, _trimmed), may_be_empty=name in MAY_BE_EMPTY)
        for name in COLUMNS[path.name]
    ]
    return read_uploaded(path, columns=columns, problems=problems or Problems(InvalidItems))


def key_of(row: Row, *, file: str) -> str:
    """The text that identifies a row within its file, whatever its case."""
    return "\n".join(row.cells[name].casefold() for name in KEYS[file])
