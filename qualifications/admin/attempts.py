"""Attempts at gates in the admin: the list, and one attempt with its result."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST

from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.list_columns import state_column
from hits.admin.page_parts import ReadOnlyAdmin, read_number
from hits.admin.selection import need
from qualifications.admin import grading
from qualifications.admin.finding_gates import ATTEMPTS, GRADE, gates_for, render
from qualifications.models import Attempt, Holding
from qualifications.queries.gate_words import findings_in_words

Status = Attempt.Status


class VisibleGates(admin.SimpleListFilter):
    """A filter that offers only the gates that this person may see."""

    title = "gate"
    parameter_name = "gate"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        gates = gates_for(request.user).order_by("study__name", "pk")
        return [(str(gate.pk), f"{gate.name} ({gate.study})") for gate in gates]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        number = read_number(self.value() or "")
        return queryset.filter(gate=number) if number is not None else queryset


STATE = state_column(good=[Attempt.Status.PASSED], bad=[Attempt.Status.FAILED], warn=[Attempt.Status.WAITING])


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin[Attempt]):
    menu = MenuPlace(Section.PEOPLE, 3, "Attempts at tests")
    nothing_yet = (
        "Nobody has begun a test yet. Attempts are listed here once a batch of a gate's test has been "
        "launched and a worker has accepted it."
    )
    list_display = ("person", "gate_name", STATE, "came_to", "handed_in", "graded")
    list_display_links = None  # the first column is one
    list_filter = (VisibleGates, "status")
    search_fields = ("=worker__pseudonym",)
    ordering = ("-pk",)
    list_per_page = 50
    show_full_result_count = False
    actions = None
    change_list_template = "admin/qualifications/attempt/list.html"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("grading/", view(grading.grading_view), name="qualifications_grading"),
            path("<int:pk>/grade/", view(require_POST(grading.grade_view)), name="qualifications_grade"),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Attempt]:
        rows = Attempt.objects.filter(gate__in=gates_for(request.user))
        return rows.select_related("worker", "gate__study", "graded_by")

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        extra = {"may_grade": request.user.has_perm(GRADE)}
        return super().changelist_view(request, {**extra, **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        need(request, ATTEMPTS)
        if request.method == "POST":
            raise PermissionDenied
        attempt = get_object_or_404(self.get_queryset(request), pk=read_number(object_id))
        gradable = attempt.status in grading.GRADABLE
        context = {
            "title": f"{attempt.worker} at {attempt.gate.name}",
            "attempt": attempt,
            "findings": findings_in_words(attempt.findings),
            "holding": Holding.objects.filter(gate=attempt.gate_id, worker=attempt.worker_id).first(),
            "may_grade": gradable and request.user.has_perm(GRADE),
            "may_see_work": request.user.has_perm("hits.view_assignment"),
        }
        return render(request, "attempt/one", context)

    @admin.display(description="worker")
    def person(self, attempt: Attempt) -> SafeString:
        address = reverse("admin:qualifications_attempt_change", args=[attempt.pk])
        return format_html('<a href="{}">{}</a>', address, attempt.worker)

    @admin.display(description="gate")
    def gate_name(self, attempt: Attempt) -> SafeString:
        return format_html("{}<br>{}", attempt.gate.name, attempt.gate.study)

    @admin.display(description="result")
    def came_to(self, attempt: Attempt) -> str:
        return "; ".join(findings_in_words(attempt.findings)) or attempt.words or "–"

    @admin.display(description="submitted", ordering="handed_in_at")
    def handed_in(self, attempt: Attempt) -> str:
        return date_format(attempt.handed_in_at, "j M Y, H:i") if attempt.handed_in_at else "–"

    @admin.display(description="graded", ordering="graded_at")
    def graded(self, attempt: Attempt) -> str:
        if attempt.graded_at is None:
            return "–"
        by = f" by {attempt.graded_by}" if attempt.graded_by else ""
        return f"{date_format(attempt.graded_at, 'j M Y, H:i')}{by}"
