"""A model's scores of detailed and underspecified captions, from a file: whole, or not at all."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO

import structlog

from crowd.whoops.models import Annotation, MatchingRow, MatchingScores, Project
from crowd.whoops.queries.matching import pairs
from crowd.whoops.services.holding import AT_ONCE, held
from hits.common.uploads import Problems, Row, UploadedColumn, read_number, read_uploaded
from hits.errors import InvalidItems, RuleBroken
from hits.models import User

MOST_ROWS = 100_000
ANNOTATION, DETAILED, UNDERSPECIFIED = "annotation", "detailed", "underspecified"
COLUMNS = (
    UploadedColumn(name=ANNOTATION),
    UploadedColumn(name=DETAILED, read=read_number, needed=False),
    UploadedColumn(name=UNDERSPECIFIED, read=read_number, needed=False),
)
SHOWN = 40
log = structlog.get_logger()
Values = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Upload:
    """`missing`: pairs that count, and that the file gives no scores of."""

    scores: MatchingScores
    pairs: int
    missing: int


def add_scores(*, project: Project, name: str, about: str, file: BinaryIO, by: User, now: datetime) -> Upload:
    """Under a new name. Raises RuleBroken of the name, and InvalidItems of the file."""
    with held(project.pk) as locked:
        name = " ".join(name.split())
        if MatchingScores.objects.filter(project=locked, name__iexact=name).exists():
            raise RuleBroken(
                "known_name", f"There are scores of {name} already. Replace those, or take another name."
            )
        found = read_scores(file, project=locked)
        made = MatchingScores.objects.create(
            project=locked, name=name, about=about, added_by=by, added_at=now
        )
        return _record(made, found)


def replace_scores(*, scores: MatchingScores, about: str, file: BinaryIO, by: User, now: datetime) -> Upload:
    """What was there is gone, once the new file is whole."""
    with held(scores.project_id) as locked:
        if not MatchingScores.objects.filter(pk=scores.pk).exists():
            raise RuleBroken("gone", "These scores were removed meanwhile. Upload them as new ones.")
        found = read_scores(file, project=locked)
        scores.rows.all().delete()
        scores.about, scores.added_by, scores.added_at = about, by, now
        scores.save(update_fields=["about", "added_by", "added_at"])
        return _record(scores, found)


def remove_scores(*, scores: MatchingScores) -> None:
    """Gone already, it stays gone."""
    with held(scores.project_id):
        MatchingScores.objects.filter(pk=scores.pk).delete()
    log.info("whoops.matching_removed", project=scores.project_id, model=scores.name)


def read_scores(file: BinaryIO, *, project: Project) -> dict[int, Values]:
    """By annotation. Raises InvalidItems with every line that is wrong."""
    problems = Problems(InvalidItems)
    counting = {str(pk): pk for pk in pairs(project).values_list("pk", flat=True)}
    others = Annotation.objects.filter(image__project=project).exclude(pk__in=pairs(project).values("pk"))
    known = Known(counting=counting, others=set(map(str, others.values_list("pk", flat=True))))
    rows = read_uploaded(file, columns=COLUMNS, most=MOST_ROWS, problems=problems)
    found = dict(_values(rows, known, problems))
    if not found:
        problems.say("The file has no scores.")
    problems.refuse()
    return found


@dataclass(frozen=True, kw_only=True)
class Known:
    """The annotations that count, by what files call them; and those that do not."""

    counting: Mapping[str, int]
    others: set[str]

    def find(self, name: str) -> int:
        if name in self.counting:
            return self.counting[name]
        if name in self.others:
            raise ValueError(f"annotation {name} does not count. Take the row out.")
        raise ValueError(f"there is no annotation “{name:.{SHOWN}}”. Take the numbers from the template.")


def _values(rows: Iterator[Row], known: Known, problems: Problems) -> Iterator[tuple[int, Values]]:
    """Rows without scores are left out: the model has none."""
    lines: dict[int, int] = {}
    for row in rows:
        values = row.cells[DETAILED], row.cells[UNDERSPECIFIED]
        if values == (None, None):
            continue
        with problems.of(row.place):
            annotation = known.find(row.cells[ANNOTATION])
            if before := lines.get(annotation):
                raise ValueError(f"annotation {row.cells[ANNOTATION]} stands in line {before} already.")
            if None in values:
                raise ValueError(f"give both {DETAILED} and {UNDERSPECIFIED}, or none of them.")
            lines[annotation] = row.line
            yield annotation, values


def _record(scores: MatchingScores, found: Mapping[int, Values]) -> Upload:
    MatchingRow.objects.bulk_create(
        (
            MatchingRow(scores=scores, annotation_id=pk, detailed=detailed, underspecified=underspecified)
            for pk, (detailed, underspecified) in found.items()
        ),
        batch_size=AT_ONCE,
    )
    log.info("whoops.matching_added", project=scores.project_id, model=scores.name, pairs=len(found))
    missing = pairs(scores.project).count() - len(found)
    return Upload(scores=scores, pairs=len(found), missing=missing)
