"""Questions taken away during a test: no worker is punished for it, and none gains by reporting them."""

from collections.abc import Sequence
from itertools import chain

from crowd.pictures.models.picture_reports import Report
from crowd.winogavil.models import CueReport, PictureSetPlace, Place
from hits.identity.models.workers import Worker
from hits.work.models.items import Item


def still_asked(items: Sequence[Item], *, worker: Worker) -> list[Item]:
    """Items that are not pulled, and those that this worker has reported and must therefore answer."""
    away = {item.pk for item in items if item.pulled_at}
    away -= _reported_by(worker, items=away) if away else set()
    return [item for item in items if item.pk not in away]


def _reported_by(worker: Worker, *, items: set[int]) -> set[int]:
    pictures = Report.objects.filter(by_worker=worker.pseudonym).values("picture")
    reported = CueReport.objects.filter(worker=worker, association__item__in=items)
    shown = Place.objects.filter(association__item__in=items, picture__in=pictures)
    laid = PictureSetPlace.objects.filter(picture_set__item__in=items, picture__in=pictures)
    return set(
        chain(
            reported.values_list("association__item", flat=True),
            shown.values_list("association__item", flat=True),
            laid.values_list("picture_set__item", flat=True),
        )
    )
