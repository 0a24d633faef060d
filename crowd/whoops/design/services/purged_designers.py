"""The names of designers, which a purge of their study erases with their links."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import CharField, F, QuerySet, Value
from django.db.models.functions import Cast, Concat

from crowd.whoops.models import Designer
from hits.data import purge_parts
from hits.data.purge_parts import Part
from hits.studies.models import Study

NAMELESS = Concat(Value("designer "), Cast("pk", CharField()))


def _named(study: Study) -> QuerySet[Designer]:
    return Designer.objects.filter(project__study=study).exclude(name=NAMELESS)


def _take_names(_study: Study, found: Sequence[Any], _now: datetime) -> None:
    """Take the names away; a new number ends every link."""
    designers = Designer.objects.filter(pk__in=[one.pk for one in found])
    designers.update(name=NAMELESS, is_active=False, link_number=F("link_number") + 1)


def register() -> None:
    purge_parts.register(
        Part(
            key=Designer._meta.db_table,
            name="Names and links of designers",
            rows=_named,
            erase=_take_names,
            told=lambda row: str(row.name),
        )
    )
