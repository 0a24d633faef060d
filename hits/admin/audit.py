"""The audit log: who did what to money, and when. Read-only for every user."""

from datetime import datetime, time, timedelta
from typing import Any, cast

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST

from hits.admin.audit_queries import events_for
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import FIRST_DAY, LAST_DAY, ReadOnlyAdmin, VisibleStudies, read_number
from hits.admin.payments.downloads import send
from hits.admin.payments.run_page_rows import in_words
from hits.admin.selection import signed_in
from hits.core.audit_subjects import SUBJECTS
from hits.core.domain.days import moment_in_words
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.payments.services import finance_files


class SubjectFilter(admin.SimpleListFilter):
    title = "what it is about"
    parameter_name = "about"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(SUBJECTS.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEvent]) -> QuerySet[AuditEvent]:
        value = self.value()
        return queryset.filter(kind__startswith=value) if value in SUBJECTS else queryset


class PersonFilter(admin.SimpleListFilter):
    """A filter by people who have done something with money, and by this program itself."""

    title = "who"
    parameter_name = "who"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        acts = AuditEvent.objects.filter(by=OuterRef("pk"))
        people = User.objects.filter(Exists(acts)).order_by("username")
        return [("nobody", "This system"), *((str(one.pk), one.get_username()) for one in people)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEvent]) -> QuerySet[AuditEvent]:
        if self.value() == "nobody":
            return queryset.filter(by=None)
        number = read_number(self.value() or "")
        return queryset if number is None else queryset.filter(by=number)


class PeriodFilter(admin.SimpleListFilter):
    title = "when"
    parameter_name = "days"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("1", "In the last day"), ("7", "In the last 7 days"), ("31", "In the last 31 days")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[AuditEvent]) -> QuerySet[AuditEvent]:
        if self.value() not in ("1", "7", "31"):
            return queryset
        return queryset.filter(at__gte=timezone.now() - timedelta(days=int(self.value() or 0)))


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin[AuditEvent]):
    menu = MenuPlace(Section.SET_UP, 6, "Audit log")
    nothing_yet = "What staff and the system do is listed here, with who, when and why."
    change_list_template = "admin/hits/audit_list.html"
    list_display = ("when", "by", "kind", "words", "about")
    list_display_links = None
    list_filter = (SubjectFilter, PersonFilter, PeriodFilter, ("study", VisibleStudies))
    list_select_related = ("by", "study", "account", "run", "bonus__assignment__worker")
    search_fields = (
        "words",
        "kind",
        "by__username",
        "run__title",
        "=bonus__rule",
        "=bonus__assignment__worker__pseudonym",
    )
    ordering = ("-pk",)
    list_per_page = 100
    show_full_result_count = False
    actions = None
    has_own_file = True

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(require_POST(self.file_view))
        return [path("file/", view, name="hits_auditevent_file"), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEvent]:
        return events_for(request.user).defer("bonus__assignment__answer", "bonus__figures")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[AuditEvent], search_term: str
    ) -> tuple[QuerySet[AuditEvent], bool]:
        """Search a day as a period, and anything else as words."""
        if start := _read_day(search_term):
            return queryset.filter(at__gte=start, at__lt=start + timedelta(days=1)), False
        return super().get_search_results(request, queryset, search_term)

    def file_view(self, request: HttpRequest) -> HttpResponseBase:
        """Send what the list shows, by its search and its filters, as a file: of some days, or of all."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        events = self.get_changelist_instance(request).get_queryset(request)
        first, last = (_read_day(request.POST.get(name, "")) for name in ("first", "last"))
        if first:
            events = events.filter(at__gte=first)
        if last:
            events = events.filter(at__lt=last + timedelta(days=1))
        rows = AuditEvent.objects.filter(pk__in=events.order_by().values("pk"))
        file = finance_files.audit_file(events=rows, by=signed_in(request), now=timezone.now())
        return send(file, kind="jsonl" if request.POST.get("form") == "jsonl" else "csv")

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        context = {**(extra_context or {}), "title": "Audit log"}
        return cast("TemplateResponse", super().changelist_view(request, context))

    @admin.display(description="when (UTC)", ordering="pk")
    def when(self, event: AuditEvent) -> str:
        return moment_in_words(event.at)

    @admin.display(description="about")
    def about(self, event: AuditEvent) -> SafeString | str:
        if event.run:
            address = reverse("admin:hits_run_change", args=[event.run_id])
            return format_html('<a href="{}">{}</a>', address, event.run.title)
        if event.bonus:
            address = reverse("admin:hits_bonus_change", args=[event.bonus_id])
            return format_html('<a href="{}">{}</a>', address, in_words(event.bonus))
        return str(event.study or event.account or "")


def _read_day(text: str) -> datetime | None:
    try:
        day = parse_date(text.strip())
    except ValueError:
        return None
    if day is None or not FIRST_DAY <= day <= LAST_DAY:
        return None
    return timezone.make_aware(datetime.combine(day, time()))
