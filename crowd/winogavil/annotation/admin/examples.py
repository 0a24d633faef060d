"""Annotations one by one, with their pictures: those of one label, or those that were discarded."""

from collections.abc import Mapping
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Prefetch

from crowd.winogavil.annotation import label_words
from crowd.winogavil.annotation.models import Annotation, Judgement, Kind
from crowd.winogavil.annotation.queries.counted import counted_annotations
from crowd.winogavil.models import Place
from hits.studies.models import Study

A_PAGE = 20
# Label in the address for annotations on which no two annotators agree.
DISCARDED = "discarded"
GROUPS = {Kind.TYPES: label_words.TYPE_GROUPS, Kind.SKILLS: label_words.SKILL_GROUPS}


def labels_of(kind: Kind) -> dict[str, str]:
    """Labels to filter by, with their names; the baseline has none."""
    if kind == Kind.BASELINE:
        return {}
    return {**label_words.names_of(GROUPS[kind]), DISCARDED: "No majority: discarded"}


def examples_of(
    study: Study, kind: Kind, *, label: str, number: str | None
) -> tuple[Page[int], list[dict[str, Any]]]:
    """A page of annotations in the order drawn, and what it shows; all of them without a label."""
    rows = counted_annotations(study, kind).order_by("pk").values_list("pk", "labels")
    if label:
        # JSON lists are searched in Python: no two databases do it alike.
        keys = [pk for pk, labels in rows if (label in labels if label != DISCARDED else not labels)]
    else:
        keys = [pk for pk, _ in rows]
    page = Paginator(keys, A_PAGE).get_page(number)
    return page, _shown(list(page), names=labels_of(kind))


def _shown(keys: list[int], *, names: Mapping[str, str]) -> list[dict[str, Any]]:
    rows = (
        Annotation.objects.filter(pk__in=keys)
        .select_related("association", "item")
        .prefetch_related(
            Prefetch("association__places", Place.objects.select_related("picture")),
            Prefetch("judgements", Judgement.objects.named()),
        )
    )
    return [_example(annotation, names=names) for annotation in rows.order_by("pk")]


def _example(annotation: Annotation, *, names: Mapping[str, str]) -> dict[str, Any]:
    places = annotation.shown_places
    numbers = {place.position: f"picture {number}" for number, place in enumerate(places, start=1)}
    return {
        "cue": annotation.association.cue,
        "pictures": [
            {"url": f"/pictures/{place.picture.key}/", "concept": place.label, "chosen": place.chosen}
            for place in places
            if place.picture and annotation.place_id in (None, place.pk)
        ],
        "mean": annotation.mean,
        "result": [names.get(key, key) for key in annotation.labels],
        "answers": [
            {
                "worker": one.worker,
                "words": [
                    numbers.get(given, "?") if isinstance(given, int) else names.get(given, given)
                    for given in one.given
                ],
            }
            for one in annotation.judgements.all()
        ],
    }
