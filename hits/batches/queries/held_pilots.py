"""Pilots that are out, and hold the other HITs of their batch back until a person sends them."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, F

from hits.studies.models import Batch, Study
from hits.work.models.hits import HIT


@dataclass(frozen=True, kw_only=True)
class HeldPilot:
    batch: int
    title: str
    # HITs that wait for the rest to be sent.
    held: int


def held_pilots(study: Study) -> Iterator[HeldPilot]:
    """Yield the study's open batches whose pilot holds HITs back, the newest first. One query."""
    held = HIT.objects.filter(
        status=HIT.Status.INTENDED,
        number__gt=F("batch__pilot_hits"),
        batch__study=study,
        batch__status=Batch.Status.OPEN,
        batch__pilot_hits__gt=0,
        batch__pilot_released_at=None,
    )
    counted = held.order_by().values("batch", "batch__title").annotate(held=Count("pk"))
    for row in counted.order_by("-batch"):
        yield HeldPilot(batch=row["batch"], title=row["batch__title"], held=row["held"])
