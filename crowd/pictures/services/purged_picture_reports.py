"""Reports on pictures by people whom a purge makes nobody: it takes their pseudonym and their words."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import CharField, QuerySet, Value
from django.db.models.functions import Cast, Concat

from crowd.pictures.models import Report
from hits.data import purge_parts
from hits.data.purge_parts import Part, only_in
from hits.studies.models import Study


def _of_people(study: Study) -> QuerySet[Report]:
    return Report.objects.filter(by_worker__in=only_in(study).values("pseudonym"))


def _take_words(_study: Study, found: Sequence[Any], _now: datetime) -> None:
    nobody = Concat(Value("erased-"), Cast("pk", CharField()))
    Report.objects.filter(pk__in=[one.pk for one in found]).update(by_worker=nobody, text="")


def register() -> None:
    purge_parts.register(
        Part(
            key=Report._meta.db_table,
            name="Reports on pictures, of people in no other study: pseudonym and words",
            rows=_of_people,
            erase=_take_words,
            told=lambda row: f"{row.by_worker}\x1f{row.text}",
        )
    )
