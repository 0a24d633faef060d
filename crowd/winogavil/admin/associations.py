from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from crowd.winogavil.models import Association
from hits.access import studies_of
from hits.admin.parts import ReadOnlyAdmin, VisibleStudies


@admin.register(Association)
class AssociationAdmin(ReadOnlyAdmin[Association]):
    list_display = ("cue", "study", "source", "fool_score", "solved", "solvable", "is_asked", "final_at")
    list_filter = ("solvable", "source", ("item__study", VisibleStudies))
    search_fields = ("cue",)
    ordering = ("-pk",)
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Association]:
        rows: QuerySet[Any] = super().get_queryset(request).select_related("item__study")
        return rows.filter(item__study__in=studies_of(request.user))

    @admin.display(ordering="item__study")
    def study(self, association: Association) -> str:
        return str(association.item.study)

    @admin.display(description="fool-the-AI", ordering="-model_score")
    def fool_score(self, association: Association) -> str:
        return "not asked yet" if association.fool_score is None else f"{association.fool_score} %"

    @admin.display(description="solvable by humans")
    def solved(self, association: Association) -> str:
        mean = association.solvers_mean
        return "not final" if mean is None else f"{float(100 * mean):.1f} %"

    @admin.display(description="in use", boolean=True, ordering="item__pulled_at")
    def is_asked(self, association: Association) -> bool:
        """Not while a picture of it is away, its cue is reported or its author is kept out."""
        return association.item.pulled_at is None
