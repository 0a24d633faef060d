"""A model's predictions on a release: checked line by line, all of them or none, and scored."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from functools import partial
from hashlib import sha256
from typing import Any, BinaryIO
from uuid import UUID

import structlog
from django.db import IntegrityError, transaction

from crowd.releases.models import Release
from crowd.winogavil.releases.files.uploads import ANY_OF, COLUMNS, Scores
from crowd.winogavil.releases.models import Prediction, ReleaseItem, Tally
from hits.common.uploads.file_problems import Problems
from hits.common.uploads.row_reader import Row
from hits.core import audit_trail
from hits.core.domain.typed_text import read_uuid
from hits.core.errors import RuleBroken
from hits.data.services.model_results import ModelResults, Subjects, add_results
from hits.identity.models.users import User
from scoring.domain import best, jaccard

MOST_BYTES = 64 * 1024 * 1024
PIECE = 1024 * 1024
TAKEN = "model_taken"
REMEDY = "Delete that one first, or choose another name."
# Whether an item is of the SWOW baseline, its numbers of candidates and of those chosen.
Shape = tuple[bool, int, int]
# An item's shape, and the Jaccard index of a prediction.
Shaped = tuple[Shape, Fraction]
log = structlog.get_logger()


def add_prediction(
    *,
    release: Release,
    model: str,
    file: BinaryIO,
    by: User,
    now: datetime,
    notes: str = "",
    is_part: bool = False,
) -> Prediction:
    """Store and score predictions. Raises InvalidItems that names every bad line, and stores nothing."""
    results = replace(PREDICTIONS, whole=partial(_check_whole, is_part=is_part))
    try:
        upload = add_results(
            results,
            of=release,
            name=model,
            file=file,
            by=by,
            now=now,
            notes=notes,
            sha256=_digest(file),
            rows=0,
        )
    except IntegrityError:
        raise RuleBroken(TAKEN, f"There are predictions of {model} already. {REMEDY}") from None
    log.info("prediction.added", release=str(release.public_id), rows=upload.count)
    return upload.made


def delete_prediction(*, prediction: Prediction, by: User, now: datetime) -> None:
    with transaction.atomic():
        release = prediction.release
        words = f"The predictions of {prediction.model} on release {release.version} were deleted."
        audit_trail.note("prediction.deleted", words, by=by, now=now, study=release.study)
        prediction.delete()


@contextmanager
def _ready(release: Release) -> Iterator[Release]:
    """A complete release, not locked: it no longer changes, and the table refuses a name that is there."""
    if not release.is_complete:
        raise RuleBroken("not_ready", "Predictions are held against a release that is ready.")
    yield release


def _digest(file: BinaryIO) -> str:
    """SHA-256 of the file as it was uploaded; afterwards the file is read from its beginning."""
    whole = sha256()
    while piece := file.read(PIECE):
        whole.update(piece)
    file.seek(0)
    return whole.hexdigest()


class Items(Subjects):
    """The selected items of a release that a part of a file names."""

    def __init__(self, release: Release) -> None:
        self.selected = release.items.filter(selected=True)
        self._found: Mapping[UUID | None, ReleaseItem] = {}

    def look_up(self, rows: Sequence[Row]) -> None:
        names = [name for row in rows if (name := read_uuid(row.cells["ID"]))]
        self._found = {item.public_id: item for item in self.selected.filter(public_id__in=names)}

    def find(self, name: str) -> ReleaseItem:
        item = self._found.get(read_uuid(name))
        if item is None:
            raise ValueError(f"the release has no {name!r:.50}.")
        return item


def _read_row(cells: Mapping[str, Any], items: Items) -> Iterator[tuple[UUID, Shaped]]:
    item = items.find(cells["ID"])
    yield item.public_id, ((item.from_list, item.size, item.k), _share(cells, item))


def _called(cells: Mapping[str, Any], key: UUID) -> str:
    return str(key)


def _share(cells: Mapping[str, Any], item: ReleaseItem) -> Fraction:
    """Jaccard index of a prediction. Raises ValueError that says what to correct."""
    picks, scores = cells["prediction"], cells["scores"]
    if (picks is None) == (scores is None):
        raise ValueError("it needs either a prediction or scores.")
    if problem := _problem_of_picks(picks, item) if scores is None else _problem_of_scores(scores, item):
        raise ValueError(problem)
    chosen = {item.candidates[place] for place in item.chosen}
    return jaccard(chosen, set(picks) if scores is None else _best(scores, item))


def _best(scores: Scores, item: ReleaseItem) -> set[str]:
    """Pictures with the k highest scores; ties go to the picture shown first."""
    values = [scores[name] for name in item.candidates] if isinstance(scores, Mapping) else list(scores)
    return {item.candidates[place] for place in best(values, k=item.k)}


def _problem_of_picks(picks: Sequence[str], item: ReleaseItem) -> str:
    if strangers := [pick for pick in picks if pick not in item.candidates]:
        return f"{strangers[0]!r:.80} is no candidate of {item.public_id}."
    if len(set(picks)) < len(picks):
        return f"{item.public_id} names a picture twice."
    if len(picks) == item.k:
        return ""
    return f"{item.public_id} needs exactly {item.k} pictures, and {len(picks)} are named."


def _problem_of_scores(scores: Scores, item: ReleaseItem) -> str:
    if isinstance(scores, Mapping):
        fits = set(scores) == set(item.candidates)
        return "" if fits else f"the scores of {item.public_id} are not those of its candidates, each once."
    if len(scores) == item.size:
        return ""
    return f"{item.public_id} has {item.size} candidates, and {len(scores)} scores are there."


def _check_whole(found: Mapping[UUID, Shaped], items: Items, problems: Problems, *, is_part: bool) -> None:
    wanted = items.selected.count()
    if found and len(found) < wanted and not is_part:
        problems.say(
            f"{wanted - len(found)} of the {wanted} associations have no prediction. "
            "Add them, or say that the file covers only a part."
        )


def _store(prediction: Prediction, found: Mapping[UUID, Shaped]) -> int:
    shares: defaultdict[Shape, Counter[Fraction]] = defaultdict(Counter)
    for shape, share in found.values():
        shares[shape][share] += 1
    prediction.rows = len(found)
    prediction.save(update_fields=["rows"])
    Tally.objects.bulk_create(_tally(prediction, shape, counted) for shape, counted in shares.items())
    release = prediction.release
    words = f"Predictions of {prediction.model} on release {release.version}."
    audit_trail.note(
        "prediction.added", words, by=prediction.made_by, now=prediction.made_at, study=release.study
    )
    return prediction.rows


def _tally(prediction: Prediction, shape: Shape, found: Counter[Fraction]) -> Tally:
    from_list, size, k = shape
    total = sum((share * times for share, times in found.items()), Fraction(0))
    return Tally(
        prediction=prediction,
        from_list=from_list,
        size=size,
        k=k,
        items=found.total(),
        numerator=total.numerator,
        denominator=total.denominator,
    )


PREDICTIONS = ModelResults(
    name="predictions",
    of=Prediction,
    header={"of": "release", "name": "model", "about": "notes", "by": "made_by", "at": "made_at"},
    columns=COLUMNS,
    any_of=ANY_OF,
    held=_ready,
    subjects=Items,
    row=_read_row,
    called=_called,
    store=_store,
    code=TAKEN,
    remedy=REMEDY,
)
