"""The columns of a file of predictions. Nothing here uses the database."""

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from hits.common.uploads import UploadedColumn, is_blank
from hits.core.domain.typed_text import read_uuid

BETWEEN = "|"
Scores = Mapping[str, float] | Sequence[float]


def _read_id(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be text.")  # noqa: TRY004 - a fault of the file's
    known = read_uuid(value)
    return str(known) if known else value.strip()


def _read_picks(value: Any) -> Sequence[str] | None:
    """Names of the pictures picked, unchanged, since they are compared as they are written."""
    picks: Sequence[str] | None = _parsed(value, is_list=True)
    if picks is not None and not (isinstance(picks, list) and all(isinstance(one, str) for one in picks)):
        raise ValueError(f"must be a list of names: as JSON, or with {BETWEEN} between them.")
    return picks


def _read_scores(value: Any) -> Scores | None:
    scores: Scores | None = _parsed(value, is_list=False)
    if scores is not None and not _are_scores(scores):
        raise ValueError("must be a number for each candidate: an object by name, or a list in their order.")
    return scores


COLUMNS = (
    UploadedColumn(name="ID", help="Id of the association, as in the release.", read=_read_id),
    UploadedColumn(
        name="prediction",
        help=f"A list of candidates, as many as num_associations says; in CSV as JSON, or with {BETWEEN} "
        "between them.",
        read=_read_picks,
        needed=False,
    ),
    UploadedColumn(
        name="scores",
        help="Instead of a prediction, a number for each candidate. The highest count; ties go to the "
        "picture shown first.",
        read=_read_scores,
        needed=False,
    ),
)
ANY_OF = (("prediction",), ("scores",))


def _parsed(value: Any, *, is_list: bool) -> Any:
    """Value of a cell: in CSV a list or an object as JSON, or names with a stroke between them."""
    if is_blank(value):
        return None
    if not isinstance(value, str):
        return value
    if value.lstrip()[0] not in "[{":
        return [name.strip() for name in value.split(BETWEEN)] if is_list else value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _are_scores(scores: Any) -> bool:
    values = scores.values() if isinstance(scores, dict) else scores
    return isinstance(scores, (dict, list)) and all(
        isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
        for value in values
    )
