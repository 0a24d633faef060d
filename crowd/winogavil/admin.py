from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from crowd.winogavil.models import Association
from hits.admin.parts import ReadOnlyAdmin


@admin.register(Association)
class AssociationAdmin(ReadOnlyAdmin[Association]):
    list_display = ("cue", "study", "fool_score", "solved", "solvable", "final_at")
    list_filter = ("solvable", "item__study")
    search_fields = ("cue",)
    ordering = ("-pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Association]:
        return super().get_queryset(request).select_related("item__study")

    @admin.display(ordering="item__study")
    def study(self, association: Association) -> str:
        return str(association.item.study)

    @admin.display(description="fool-the-AI")
    def fool_score(self, association: Association) -> str:
        return "not asked yet" if association.fool_score is None else f"{association.fool_score} %"

    @admin.display(description="solvable by humans")
    def solved(self, association: Association) -> str:
        mean = association.solvers_mean
        return "not final" if mean is None else f"{float(100 * mean):.1f} %"
