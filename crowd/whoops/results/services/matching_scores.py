"""A model's scores of detailed and underspecified captions, from a file: all of it, or nothing."""

from collections.abc import Iterator, Mapping
from typing import Any

import structlog

from crowd.whoops.images.services.locks import AT_ONCE
from crowd.whoops.models import Annotation, MatchingRow, MatchingScores, Project
from crowd.whoops.results.queries.matching_results import pairs
from hits.common.uploads import UploadedColumn, read_number
from hits.data.services.model_results import ModelResults, Subjects
from hits.work.services.locking import held

MOST_ROWS = 100_000
ANNOTATION, DETAILED, UNDERSPECIFIED = "annotation", "detailed", "underspecified"
SHOWN = 40
log = structlog.get_logger()
Values = tuple[float, float]


class KnownAnnotations(Subjects):
    """The project's annotations by the number that files give: those that count, and those that do not."""

    def __init__(self, project: Project) -> None:
        counting = pairs(project)
        others = Annotation.objects.filter(image__project=project).exclude(pk__in=counting.values("pk"))
        self._counting = {str(pk): pk for pk in counting.values_list("pk", flat=True)}
        self._others = set(map(str, others.values_list("pk", flat=True)))

    def find(self, name: str) -> int:
        if name in self._counting:
            return self._counting[name]
        if name in self._others:
            raise ValueError(f"annotation {name} does not count. Take the row out.")
        raise ValueError(f"there is no annotation “{name:.{SHOWN}}”. Take the numbers from the template.")


def _read_row(cells: Mapping[str, Any], known: KnownAnnotations) -> Iterator[tuple[int, Values]]:
    """Read a row's scores; a row without any is left out, because the model has none."""
    values = cells[DETAILED], cells[UNDERSPECIFIED]
    if values == (None, None):
        return
    annotation = known.find(cells[ANNOTATION])
    if None in values:
        raise ValueError(f"give both {DETAILED} and {UNDERSPECIFIED}, or none of them.")
    yield annotation, values


def _called(cells: Mapping[str, Any], key: int) -> str:
    return f"annotation {cells[ANNOTATION]}"


def _store(scores: MatchingScores, found: Mapping[int, Values]) -> int:
    MatchingRow.objects.bulk_create(
        (
            MatchingRow(scores=scores, annotation_id=pk, detailed=detailed, underspecified=underspecified)
            for pk, (detailed, underspecified) in found.items()
        ),
        batch_size=AT_ONCE,
    )
    log.info("whoops.matching_added", project=scores.project_id, model=scores.name, pairs=len(found))
    return len(found)


MATCHING = ModelResults(
    name="scores",
    of=MatchingScores,
    header={"of": "project", "name": "name", "about": "about", "by": "added_by", "at": "added_at"},
    columns=(
        UploadedColumn(name=ANNOTATION, help="Its number, as the file to fill in has it."),
        *(
            UploadedColumn(name=name, help=f"The score of its {name} text.", read=read_number, needed=False)
            for name in (DETAILED, UNDERSPECIFIED)
        ),
    ),
    most=MOST_ROWS,
    held=held,
    subjects=KnownAnnotations,
    row=_read_row,
    called=_called,
    store=_store,
    missing=lambda project, count: pairs(project).count() - count,
)
