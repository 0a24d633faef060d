"""Picture sets of an assignment's words: one set for all words, or in a test one set for each word."""

from collections.abc import Sequence

from django.db.models import Prefetch, prefetch_related_objects

from crowd.winogavil.models import PictureSet, PictureSetPlace
from hits.common.kept_queries import KeptQuery, given_id
from hits.work.models.assignments import Assignment

SERVED = KeptQuery(
    lambda: (
        PictureSet.objects.filter(item__leases__assignment=given_id("assignment"))
        .select_related("item")
        .order_by("item__leases__pk")
    )
)


def picture_sets_of(assignment: Assignment) -> list[PictureSet]:
    """Picture sets of an assignment with their pictures, in the order of the page; also those given back."""
    found = list(dict.fromkeys(SERVED.rows(assignment=assignment.pk)))
    prefetch_related_objects(found, Prefetch("places", PictureSetPlace.objects.select_related("picture")))
    return found


def picture_set_of_slot(picture_sets: Sequence[PictureSet], slot: int) -> PictureSet:
    return picture_sets[slot - 1] if len(picture_sets) > 1 else picture_sets[0]
