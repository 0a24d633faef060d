"""Annotations that count: final ones, of associations that are selected at this moment."""

from django.db.models import QuerySet

from crowd.winogavil.annotation.models import Annotation, Kind
from hits.studies.models import Study


def counted_annotations(study: Study, kind: Kind) -> QuerySet[Annotation]:
    return Annotation.objects.filter(
        draw__study=study, kind=kind, final_at__isnull=False, association__in=solved
    )
