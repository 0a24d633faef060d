from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from hits.admin.page_parts import ReadOnlyAdmin
from hits.work.access import studies_of
from scoring.models import Verdict


@admin.register(Verdict)
class VerdictAdmin(ReadOnlyAdmin[Verdict]):
    """All verdicts of all rivals, with everything needed to repeat them."""

    list_display = ("prompt", "rival", "study", "model_score", "latency_ms", "answered_at")
    list_filter = ("rival",)
    search_fields = ("rival_query__text", "weights_sha256")
    ordering = ("-pk",)
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Verdict]:
        rows = super().get_queryset(request).select_related("rival", "rival_query__study")
        return rows.filter(rival_query__study__in=studies_of(request.user))

    @admin.display
    def study(self, verdict: Verdict) -> str:
        return str(verdict.rival_query.study)
