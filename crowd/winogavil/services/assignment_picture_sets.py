"""Picture sets of an assignment's words: one set for all words, or in a test one set for each word."""

from collections.abc import Sequence

from django.db.models import Prefetch

from crowd.winogavil.models import PictureSet, PictureSetPlace
from hits.work.models.assignments import Assignment
from hits.work.services.leasing import items_served


def picture_sets_of(assignment: Assignment) -> list[PictureSet]:
    """Picture sets of an assignment with their pictures, in the order of the page; also those given back."""
    items = items_served(assignment)
    places = Prefetch("places", PictureSetPlace.objects.select_related("picture"))
    rows = PictureSet.objects.filter(item__in=items).select_related("item").prefetch_related(places)
    found = {picture_set.item_id: picture_set for picture_set in rows}
    return [found[item.pk] for item in items]


def picture_set_of_slot(picture_sets: Sequence[PictureSet], slot: int) -> PictureSet:
    return picture_sets[slot - 1] if len(picture_sets) > 1 else picture_sets[0]
