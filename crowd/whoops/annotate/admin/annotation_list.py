"""The list of all annotations, to be searched; on its own page, each is dropped or taken back."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from crowd.pictures.admin.pool_parts import file_url
from crowd.whoops.annotate.admin.annotations import DECIDE, filters_in_words, may_be_decided, texts_of
from crowd.whoops.annotate.services.annotation_decisions import LONGEST_WHY, REASONS
from crowd.whoops.models import Annotation
from hits.admin.page_parts import ReadOnlyAdmin, VisibleStudies, read_number
from hits.work.access import studies_of


class FlaggedFilter(admin.SimpleListFilter):
    title = "coarse words"
    parameter_name = "coarse"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "With coarse words"), ("no", "Without")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "yes":
            return queryset.exclude(flags=[])
        return queryset.filter(flags=[]) if self.value() == "no" else queryset


@admin.register(Annotation)
class AnnotationAdmin(ReadOnlyAdmin[Annotation]):
    change_list_template = "admin/hits/project_rows.html"
    list_display = ("caption", "explanation", "underspecified", "of_image", "state", "worker")
    list_filter = ("state", FlaggedFilter, ("image__project__study", VisibleStudies))
    search_fields = ("caption", "explanation", "underspecified", "^worker__pseudonym", "=image__number")
    ordering = ("-pk",)
    show_full_result_count = False
    actions = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[Annotation]:
        rows = super().get_queryset(request).filter(image__project__study__in=studies_of(request.user))
        return rows.select_related("image", "worker").defer("worker__external_id")

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        if lookup == "image__project__id__exact":
            return read_number(str(value)) is not None
        return super().lookup_allowed(lookup, value, request)

    @admin.display(description="image", ordering="image__number")
    def of_image(self, row: Annotation) -> SafeString:
        url = reverse("admin:whoops_annotated_image", args=[row.image.project_id, row.image.number])
        return format_html('<a href="{}">{}</a>', url, row.image)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        about = (
            "Three texts of one worker each. Only those that count are part of the data. Search for words of "
            "the texts, a worker's pseudonym, or the number of an image."
        )
        return super().changelist_view(
            request, {"title": "Annotations", "about": about, **(extra_context or {})}
        )

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        number = read_number(object_id)
        rows = self.get_queryset(request).select_related(
            "image__project__study", "image__picture", "decided_by"
        )
        row = rows.filter(pk=number).first() if number is not None else None
        if row is None:
            messages.warning(request, f"There is no annotation {object_id[:20]} here that you may see.")
            return redirect("admin:whoops_annotation_changelist")
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": f"Annotation of {str(row.image).lower()}",
            "row": row,
            "project": row.image.project,
            "picture_url": file_url(row.image.picture, 480),
            "texts": texts_of(row),
            "filters": filters_in_words(row),
            "may_decide": request.user.has_perm(DECIDE) and may_be_decided(row),
            "reasons": REASONS,
            "longest": LONGEST_WHY,
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/whoops/annotation.html", context)
