"""A file of predictions as lines, whatever program wrote it. Nothing here knows a database."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from math import isfinite
from typing import Any, BinaryIO

from hits.errors import InvalidItems

FORMATS = "CSV with the columns ID and prediction (or scores), or JSON Lines with the same fields"
LONGEST_LINE = 100_000
BETWEEN = "|"


@dataclass(frozen=True, kw_only=True)
class Line:
    """What a model says of one association: the names that it picks, or a score for each candidate."""

    place: int
    id: str
    picks: Sequence[str] | None = None
    scores: Mapping[str, float] | Sequence[float] | None = None
    problem: str = ""


def read_lines(file: BinaryIO) -> Iterator[Line]:
    """One after the other, with what is wrong with it. Raises InvalidItems if it is no such file."""
    text = TextIOWrapper(file, encoding="utf-8-sig", newline="")
    try:
        start = text.read(1)
        while start.isspace():
            start = text.read(1)
        if not start:
            raise InvalidItems(["The file is empty."])
        text.seek(0)
        yield from _read_jsonl(text) if start == "{" else _read_csv(text)
    except UnicodeDecodeError:
        raise InvalidItems([f"This is not UTF-8 text. Upload {FORMATS}."]) from None
    finally:
        text.detach()  # the file is the caller's


def _read_jsonl(text: TextIOWrapper) -> Iterator[Line]:
    for number, line in enumerate(_short_lines(text), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            yield Line(place=number, id="", problem="it is not JSON.")
            continue
        if isinstance(row, dict):
            yield _line(number, row.get("ID"), row.get("prediction"), row.get("scores"))
        else:
            yield Line(place=number, id="", problem="it must be an object with ID and prediction.")


def _short_lines(text: TextIOWrapper) -> Iterator[str]:
    while line := text.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise InvalidItems(["A line is too long for a prediction. Is this the right file?"])
        yield line


def _read_csv(text: TextIOWrapper) -> Iterator[Line]:
    reader = csv.DictReader(_short_lines(text), strict=True)
    try:
        names = reader.fieldnames or []
        if "ID" not in names or not {"prediction", "scores"} & set(names):
            raise InvalidItems([f"The first line lacks the names of the columns. Upload {FORMATS}."])
        for row in reader:
            if None in row or None in row.values():
                yield Line(
                    place=reader.line_num, id="", problem="it has not as many fields as the first line."
                )
            else:
                yield _line(
                    reader.line_num, row["ID"], *(_cell(row.get(name)) for name in ("prediction", "scores"))
                )
    except csv.Error as error:
        raise InvalidItems([f"Line {reader.line_num + 1} cannot be read ({error})."]) from None


def _cell(text: str | None) -> Any:
    """A list or an object as JSON, or names with a stroke between them."""
    if not text or not text.strip():
        return None
    if text.lstrip()[0] not in "[{":
        return [name.strip() for name in text.split(BETWEEN)]
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _line(number: int, name: Any, picks: Any, scores: Any) -> Line:
    if not isinstance(name, str) or not name.strip():
        return Line(place=number, id="", problem="it has no ID.")
    name = name.strip()
    if (picks is None) == (scores is None):
        return Line(place=number, id=name, problem="it needs a prediction or scores, one of both.")
    if scores is not None:
        if not _are_scores(scores):
            words = "scores must be a number for each candidate: an object by name, or a list in their order."
            return Line(place=number, id=name, problem=words)
        return Line(place=number, id=name, scores=scores)
    if not isinstance(picks, list) or not all(isinstance(pick, str) for pick in picks):
        words = f"prediction must be a list of names: as JSON, or with {BETWEEN} between them."
        return Line(place=number, id=name, problem=words)
    return Line(place=number, id=name, picks=picks)


def _are_scores(scores: Any) -> bool:
    values = scores.values() if isinstance(scores, dict) else scores
    return isinstance(scores, (dict, list)) and all(
        isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
        for value in values
    )
