"""The rows of a recording's CSV files, as they are written. Nothing here knows a database."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from crowd.questions.domain import NO, YES
from crowd.winoventi.domain import KINDS
from crowd.winoventi.domain.answers import ALTERNATIVES
from crowd.winoventi.domain.outcomes import QUESTIONS
from hits import recorded_rows
from hits.problems import Problems
from hits.recorded_rows import UNFIT, Row

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
# Of these columns of a file no two rows are alike.
KEYS: Mapping[str, Sequence[str]] = {
    EXCEPTIONS: ("k", "rank"),
    PROBABILITIES: TRIPLET,
    PREMISES: TRIPLET,
    VALIDATIONS: (*TRIPLET, "worker"),
    CHOICES: (*TRIPLET, "kind", "worker"),
}
NEVER_EMPTY = ("worker", *TRIPLET)
LARGEST = 2**31 - 1


def read_rows(path: Path, *, problems: Problems | None = None) -> Iterator[Row]:
    """Trimmed on entry."""
    columns = COLUMNS[path.name]
    return recorded_rows.read_rows(
        path,
        columns=columns,
        read_cells=partial(_read_cells, columns=columns),
        problems=problems or Problems(),
        trims=True,
    )


def key_of(row: Row, *, file: str) -> str:
    """Whatever its case."""
    return "\n".join(row.cells[name].casefold() for name in KEYS[file])


def _read_cells(texts: Mapping[str, str], *, columns: Sequence[str]) -> dict[str, Any]:
    """Raises ValueError with what to mend."""
    if empty := [name for name in columns if name in NEVER_EMPTY and not texts[name]]:
        raise ValueError(f"{' and '.join(empty)} must not be empty.")
    for name in columns:
        if UNFIT.search(texts[name]):
            raise ValueError(f"{name} holds a NUL or half a character.")
        if name in CHECKS and not CHECKS[name](texts[name]):
            raise ValueError(f"{name} {WANTED[CHECKS[name]]}, not “{texts[name][:40]}”.")
    return {name: texts[name] for name in columns}


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 11 and int(text) <= LARGEST


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _is_answer(text: str) -> bool:
    return text in (YES, NO)


def _is_kind(text: str) -> bool:
    return text in KINDS


WANTED: Mapping[Callable[[str], bool], str] = {
    _is_whole: "is a whole number",
    _is_number: "is a number",
    _is_answer: "is yes or no",
    _is_kind: "is generic or exception",
}
CHECKS: Mapping[str, Callable[[str], bool]] = {
    "k": _is_whole,
    "rank": _is_whole,
    "perplexity": _is_number,
    "p_generic": _is_number,
    "p_exception": _is_number,
    "makes_sense": _is_answer,
    **dict.fromkeys(QUESTIONS, _is_answer),
    "kind": _is_kind,
}
