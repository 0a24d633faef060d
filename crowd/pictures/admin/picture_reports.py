"""Reports of pictures, and the decisions about them."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST

from crowd.pictures.admin.pool_parts import REMOVE, file_url, flags_of, render, small
from crowd.pictures.models.picture_reports import Report
from crowd.pictures.services import picture_reports
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import ReadOnlyAdmin, read_number
from hits.admin.selection import need, signed_in
from hits.core.domain.days import moment_in_words
from hits.core.errors import RuleBroken

MOST_OTHERS = 50
Status = Report.Status


class StatusFilter(admin.SimpleListFilter):
    """A filter that shows open reports, unless another decision is chosen."""

    title = "decision"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("upheld", "Upheld"), ("dismissed", "Dismissed"), ("all", "All")]

    def choices(self, changelist: Any) -> Any:
        first, *others = super().choices(changelist)
        return [{**first, "display": "Open"}, *others]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Report]) -> QuerySet[Report]:
        value = self.value()
        if value == "all":
            return queryset
        return queryset.filter(status=value if value in Status.values else Status.OPEN)


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin[Report]):
    menu = MenuPlace(Section.DATA, 5, "Reports of pictures")
    nothing_yet = "Workers and players may report a picture. Their reports are listed here, to be decided on."
    list_display = ("thumbnail", "concept", "reason", "text", "by_worker", "made", "status")
    list_display_links = ("concept",)
    list_filter = (StatusFilter, "reason")
    list_select_related = ("picture",)
    list_per_page = 50
    search_fields = ("picture__concept", "picture__key", "text", "by_worker")
    ordering = ("-pk",)
    show_full_result_count = False
    actions = None

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(require_POST(decide_view))
        return [path("<int:pk>/decide/", view, name="pictures_report_decide"), *super().get_urls()]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return super().changelist_view(request, {"title": "Reports of pictures", **(extra_context or {})})

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The page of a report: its picture, and all that was reported of it."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        reports = Report.objects.select_related("picture", "decided_by")
        report = get_object_or_404(reports, pk=read_number(object_id))
        others = reports.filter(picture=report.picture).exclude(pk=report.pk).order_by("-pk")
        context = {
            "title": f"Report of “{report.picture}”",
            "report": report,
            "picture": report.picture,
            "picture_url": file_url(report.picture, 480),
            "flags": flags_of(report.picture),
            "others": others[:MOST_OTHERS],
            "may_decide": request.user.has_perm(REMOVE) and report.status == Status.OPEN,
        }
        return render(request, "report", context, model=Report)

    @admin.display(description="picture")
    def thumbnail(self, report: Report) -> SafeString:
        return small(report.picture)

    @admin.display(description="concept", ordering="picture__concept")
    def concept(self, report: Report) -> str:
        return report.picture.concept

    @admin.display(description="reported (UTC)", ordering="made_at")
    def made(self, report: Report) -> str:
        return moment_in_words(report.made_at)


def decide_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Decide a report, and go on to the next open one, if there is one."""
    need(request, REMOVE)
    report = get_object_or_404(Report, pk=pk)
    deeds = {"uphold": picture_reports.uphold_report, "dismiss": picture_reports.dismiss_report}
    deed = deeds.get(request.POST.get("verdict", ""))
    if deed is None:
        messages.error(request, "Choose whether the report is upheld or dismissed.")
        return redirect("admin:pictures_report_change", pk)
    try:
        deed(report=report, by=signed_in(request), now=timezone.now())
    except RuleBroken as broken:
        messages.error(request, str(broken))
    else:
        is_upheld = deed is picture_reports.uphold_report
        messages.success(request, "The picture stays removed." if is_upheld else "The picture is back.")
    following = Report.objects.filter(status=Status.OPEN).order_by("pk").first()
    if following is None:
        return redirect("admin:pictures_report_changelist")
    return redirect("admin:pictures_report_change", following.pk)
