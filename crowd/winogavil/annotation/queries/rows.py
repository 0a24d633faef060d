"""Annotations as a table to download: one line each, under pseudonyms."""

from collections.abc import Iterator, Sequence

from django.db.models import Prefetch

from crowd.winogavil.annotation import domain
from crowd.winogavil.annotation.models import Annotation, Judgement, Kind
from crowd.winogavil.annotation.queries.counted import counted_annotations
from crowd.winogavil.files import BETWEEN
from hits.common.spreadsheets import Cell
from hits.studies.models import Study

AT_ONCE = 500
DISCARDED = "no majority"
HEADER = ("id", "association", "cue", "candidates", "chosen", "result")
OF_EACH = ("annotator", "answer")


def header_of(kind: Kind) -> list[str]:
    """Names of the columns; the result is a label, several, or the mean Jaccard index as a fraction."""
    each = [f"{name}_{number}" for number in range(1, domain.ANNOTATORS_WANTED + 1) for name in OF_EACH]
    about = [*HEADER[:5], "picture", *HEADER[5:]] if kind == Kind.TYPES else [*HEADER]
    return [*about, *each, "final_at"]


def rows_of(study: Study, kind: Kind) -> Iterator[Sequence[Cell]]:
    """Rows of the table, read a part at a time, so that no number of them fills the memory."""
    rows = (
        counted_annotations(study, kind)
        .select_related("item", "association__item", "place")
        .prefetch_related(
            "association__places",
            Prefetch("judgements", Judgement.objects.named()),
        )
        .order_by("pk")
    )
    for annotation in rows.iterator(chunk_size=AT_ONCE):
        yield _row(annotation)


def _row(annotation: Annotation) -> list[Cell]:
    association = annotation.association
    places = association.places.all()
    labels = {place.position: place.label for place in places}
    each: list[Cell] = []
    for one in list(annotation.judgements.all())[: domain.ANNOTATORS_WANTED]:
        each += [one.worker.pseudonym, BETWEEN.join(_said(one, labels))]
    each += [""] * (len(OF_EACH) * domain.ANNOTATORS_WANTED - len(each))
    picture = [annotation.place.label] if annotation.place else []
    return [
        str(annotation.item.public_id),
        str(association.item.public_id),
        association.cue,
        BETWEEN.join(labels.values()),
        BETWEEN.join(place.label for place in places if place.chosen),
        *picture,
        _result(annotation),
        *each,
        annotation.final_at,
    ]


def _said(judgement: Judgement, labels: dict[int, str]) -> list[str]:
    return [labels[one] if isinstance(one, int) else one for one in judgement.given]


def _result(annotation: Annotation) -> str:
    if annotation.kind == Kind.BASELINE:
        return str(annotation.mean)
    return BETWEEN.join(annotation.labels) or DISCARDED
