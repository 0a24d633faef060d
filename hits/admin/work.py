from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from hits import families
from hits.admin.parts import ReadOnlyAdmin
from hits.models import HIT, Assignment, Worker
from hits.services.working import items_of


@admin.register(HIT)
class HITAdmin(ReadOnlyAdmin[HIT]):
    list_display = ("__str__", "batch", "status", "sent_at", "reconciled_at")
    list_filter = ("status", "batch__study")
    list_select_related = ("batch__study",)
    search_fields = ("external_id", "public_id")
    ordering = ("-pk",)


@admin.register(Worker)
class WorkerAdmin(ReadOnlyAdmin[Worker]):
    """Under pseudonyms. The provider's ids are not shown here."""

    list_display = ("pseudonym", "account", "created_at")
    list_filter = ("account",)
    list_select_related = ("account",)
    search_fields = ("pseudonym",)
    fields = ("pseudonym", "account", "created_at")


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin[Assignment]):
    list_display = ("__str__", "worker", "batch", "status", "submitted_at", "see_work")
    list_filter = ("status", "hit__batch__study")
    list_select_related = ("account", "worker", "hit__batch__study")
    search_fields = ("external_id", "worker__pseudonym")
    ordering = ("-pk",)

    def get_urls(self) -> list[URLPattern]:
        work = self.admin_site.admin_view(self.work_view)
        return [path("<int:assignment_id>/work/", work, name="hits_assignment_work"), *super().get_urls()]

    def work_view(self, request: HttpRequest, assignment_id: int) -> HttpResponse:
        """The work as the worker saw it, with what was expected."""
        assignment = get_object_or_404(
            Assignment.objects.select_related("hit__batch__study", "worker"), pk=assignment_id
        )
        if not self.has_view_permission(request, assignment):
            raise PermissionDenied
        family = families.get(assignment.hit.batch.task)
        page = family.review_page(assignment=assignment, items=items_of(assignment))
        context = {
            **self.admin_site.each_context(request),
            "title": f"Work of {assignment.worker}",
            "assignment": assignment,
            "bonuses": assignment.bonuses.order_by("pk"),
            "page_template": page.template,
            **page.context,
        }
        return TemplateResponse(request, "admin/hits/work.html", context)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """The batch's page links here; a filter that named every batch would grow with history."""
        return lookup == "hit__batch__exact" or super().lookup_allowed(lookup, value, request)

    @admin.display(description="batch")
    def batch(self, assignment: Assignment) -> str:
        return str(assignment.hit.batch)

    @admin.display(description="work")
    def see_work(self, assignment: Assignment) -> SafeString:
        address = reverse("admin:hits_assignment_work", args=[assignment.pk])
        return format_html('<a href="{}">See the work</a>', address)
