"""A model's predictions on a release: checked line by line, all of them or none, and scored."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from hashlib import sha256
from itertools import islice
from typing import Any, BinaryIO
from uuid import UUID

import structlog
from django.db import IntegrityError, transaction

from crowd.winogavil.releases.files.uploads import ANY_OF, COLUMNS, Scores
from crowd.winogavil.releases.models import Prediction, Release, ReleaseItem, Tally
from hits.common.uploads import Problems, Row, read_uploaded
from hits.domain.words import read_uuid
from hits.errors import InvalidItems, RuleBroken
from hits.models import User
from hits.services import auditing
from scoring.domain import best, jaccard

AT_ONCE = 500
MOST_BYTES = 64 * 1024 * 1024
PIECE = 1024 * 1024
# By candidates and chosen: how many of each Jaccard index, of which few are different.
Shares = Mapping[tuple[int, int], Counter[Fraction]]
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
    """Raises InvalidItems that names every bad line, and then nothing was stored."""
    _check_release(release, model)
    digest = _digest(file)
    shares = _score(release, file, is_part=is_part)
    try:
        with transaction.atomic():
            prediction = Prediction.objects.create(
                release=release, model=model, notes=notes, sha256=digest, made_by=by, made_at=now,
                rows=sum(found.total() for found in shares.values()),
            )  # fmt: skip
            Tally.objects.bulk_create(_tally(prediction, *shape, found) for shape, found in shares.items())
            words = f"Predictions of {model} on release {release.version}."
            auditing.note("prediction.added", words, by=by, now=now, study=release.study)
    except IntegrityError:
        raise _taken(model) from None
    log.info("prediction.added", release=str(release.public_id), rows=prediction.rows)
    return prediction


def delete_prediction(*, prediction: Prediction, by: User, now: datetime) -> None:
    with transaction.atomic():
        release = prediction.release
        words = f"The predictions of {prediction.model} on release {release.version} were deleted."
        auditing.note("prediction.deleted", words, by=by, now=now, study=release.study)
        prediction.delete()


def _check_release(release: Release, model: str) -> None:
    if not release.is_complete:
        raise RuleBroken("not_ready", "Predictions are held against a release that is ready.")
    if release.predictions.filter(model=model).exists():
        raise _taken(model)


def _digest(file: BinaryIO) -> str:
    """Of the file as it came; it is read from its beginning afterwards."""
    whole = sha256()
    while piece := file.read(PIECE):
        whole.update(piece)
    file.seek(0)
    return whole.hexdigest()


def _taken(model: str) -> RuleBroken:
    return RuleBroken(
        "model_taken", f"{model} has its row already. Delete that one first, or choose another name."
    )


def _score(release: Release, file: BinaryIO, *, is_part: bool) -> Shares:
    problems, seen = Problems(InvalidItems), set[UUID]()
    shares: defaultdict[tuple[int, int], Counter[Fraction]] = defaultdict(Counter)
    rows = read_uploaded(file, columns=COLUMNS, any_of=ANY_OF, problems=problems)
    for some in _in_chunks(rows):
        items = _items_of(release, some)
        for row in some:
            with problems.of(row.place, line=row.line):
                item = _item_of(row.cells["ID"], items, seen)
                shares[item.size, item.k][_share(row.cells, item)] += 1
                seen.add(item.public_id)
    problems.arrange()
    _check_whole(release, seen, is_part=is_part, problems=problems)
    problems.refuse()
    return shares


def _in_chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    remaining = iter(rows)
    while some := list(islice(remaining, AT_ONCE)):
        yield some


def _items_of(release: Release, rows: Iterable[Row]) -> dict[UUID | None, ReleaseItem]:
    names = [name for row in rows if (name := read_uuid(row.cells["ID"]))]
    return {item.public_id: item for item in release.items.filter(selected=True, public_id__in=names)}


def _item_of(name: str, items: Mapping[UUID | None, ReleaseItem], seen: set[UUID]) -> ReleaseItem:
    item = items.get(read_uuid(name))
    if item is None:
        raise ValueError(f"the release has no {name!r:.50}.")
    if item.public_id in seen:
        raise ValueError(f"{name} was there before.")
    return item


def _share(cells: Mapping[str, Any], item: ReleaseItem) -> Fraction:
    """The Jaccard index. Raises ValueError with words that say what to mend."""
    picks, scores = cells["prediction"], cells["scores"]
    if (picks is None) == (scores is None):
        raise ValueError("it needs a prediction or scores, one of both.")
    if problem := _problem_of_picks(picks, item) if scores is None else _problem_of_scores(scores, item):
        raise ValueError(problem)
    chosen = {item.candidates[place] for place in item.chosen}
    return jaccard(chosen, set(picks) if scores is None else _best(scores, item))


def _best(scores: Scores, item: ReleaseItem) -> set[str]:
    """The k highest count, and ties go to the picture shown first."""
    values = [scores[name] for name in item.candidates] if isinstance(scores, Mapping) else list(scores)
    return {item.candidates[place] for place in best(values, k=item.k)}


def _problem_of_picks(picks: Sequence[str], item: ReleaseItem) -> str:
    if strangers := [pick for pick in picks if pick not in item.candidates]:
        return f"{strangers[0]!r:.80} is no candidate of {item.public_id}."
    if len(set(picks)) < len(picks):
        return f"{item.public_id} names a picture twice."
    if len(picks) == item.k:
        return ""
    return f"{item.public_id} wants exactly {item.k} pictures, and {len(picks)} are named."


def _problem_of_scores(scores: Scores, item: ReleaseItem) -> str:
    if isinstance(scores, Mapping):
        fits = set(scores) == set(item.candidates)
        return "" if fits else f"the scores of {item.public_id} are not those of its candidates, each once."
    if len(scores) == item.size:
        return ""
    return f"{item.public_id} has {item.size} candidates, and {len(scores)} scores are there."


def _check_whole(release: Release, seen: set[UUID], *, is_part: bool, problems: Problems) -> None:
    wanted = release.items.filter(selected=True).count()
    if not seen:
        problems.say("No line of the file can be scored.")
    elif len(seen) < wanted and not is_part:
        problems.say(
            f"{wanted - len(seen)} of the {wanted} associations have no prediction. "
            "Add them, or say that the file covers only a part."
        )


def _tally(prediction: Prediction, size: int, k: int, found: Counter[Fraction]) -> Tally:
    total = sum((share * times for share, times in found.items()), Fraction(0))
    return Tally(
        prediction=prediction,
        size=size,
        k=k,
        items=found.total(),
        numerator=total.numerator,
        denominator=total.denominator,
    )
