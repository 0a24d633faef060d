"""Annotations that count: final ones, of associations that are selected at this moment."""

from django.db.models import QuerySet

from crowd.winogavil.annotation.models import Annotation, Kind
from crowd.winogavil.models import Association
from crowd.winogavil.queries import final, reaches_own
from hits.studies.models import Study


def counted_annotations(study: Study, kind: Kind) -> QuerySet[Annotation]:
    solved = final(Association.objects.filter(item__study=study)).filter(reaches_own())
    return Annotation.objects.filter(
        draw__study=study, kind=kind, final_at__isnull=False, association__in=solved
    )
