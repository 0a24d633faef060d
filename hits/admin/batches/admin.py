from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from hits import families
from hits.admin.batches import guide, launch, live, own_people
from hits.admin.batches.prices import cost_of, table_of
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.list_columns import number_column, progress_bar, state_column
from hits.admin.page_parts import VisibleStudies, read_number
from hits.admin.payments import recalculating, wages
from hits.batches.queries.tally import batches_with_counts
from hits.batches.services import drafting
from hits.core.domain.requirements import in_words as requirements_in_words
from hits.core.errors import RuleBroken
from hits.studies.models import Batch
from hits.work.access import visible
from hits.work.models.items import Item

Status = Batch.Status
STILL = (Status.PAUSED, Status.PAUSED_FUNDS)


@admin.register(Batch)
class BatchAdmin(admin.ModelAdmin[Batch]):
    """The list of batches. A draft opens in the guide, a launched batch in its live view."""

    menu = MenuPlace(Section.WORK, 1)
    nothing_yet = (
        "A batch is a number of HITs that are launched together. Add one with the button above: its guide "
        "goes from what workers do to the launch, and spends nothing before it."
    )
    list_display = (
        "title",
        number_column("pk", "number"),
        "study",
        "account",
        state_column(good=[Status.OPEN], bad=STILL, warn=[Status.LAUNCHING, Status.DRAINING]),
        "filled",
        "launched_at",
        "next_step",
    )
    list_filter = ("status", ("study", VisibleStudies), "account")
    search_fields = ("title", "study__name")
    ordering = ("-pk",)
    actions = None
    show_full_result_count = False

    def get_urls(self) -> list[URLPattern]:
        ours = [
            *guide.urls(self),
            *launch.urls(self),
            *own_people.urls(self),
            *live.urls(self),
            *wages.urls(self),
            *recalculating.urls(self),
        ]
        return [*ours, *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Batch]:
        return visible(batches_with_counts(), request.user)

    def has_delete_permission(self, request: HttpRequest, obj: Batch | None = None) -> bool:
        draft = obj is None or obj.status == Status.DRAFT
        return draft and super().has_delete_permission(request, obj)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return guide.start_view(self, request)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Open a draft in the guide; show a launched batch's terms, which are promises and never change."""
        batch = guide.get_visible(request, read_number(object_id) or 0)
        if batch.status == Status.DRAFT and self.has_change_permission(request, batch):
            return redirect("admin:hits_batch_step", batch.pk, "what")
        if not self.has_view_permission(request, batch):
            raise PermissionDenied
        context = {**self.admin_site.each_context(request), **terms_context(batch)}
        context["excluded"] = guide.excluded_rows(request).filter(excluded_from=batch)
        context["may_copy"] = self.has_add_permission(request) and families.is_offered(batch.task)
        return TemplateResponse(request, "admin/hits/guide/frozen.html", context)

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """The draft and the number of its own items: nothing else depends on a draft."""
        items = Item.objects.filter(batch__in=objs).count()
        return [str(batch) for batch in objs], {"drafts": len(objs), "items": items}, set(), []

    def delete_model(self, request: HttpRequest, obj: Batch) -> None:
        try:
            drafting.delete_draft(batch=obj)
        except RuleBroken as error:
            messages.error(request, str(error))
            raise PermissionDenied from error

    @admin.display(description="submitted")
    def filled(self, batch: Batch) -> SafeString:
        done, places = batch.submitted, batch.places  # type: ignore[attr-defined]
        return progress_bar(done, places, label=f"Submitted in {batch.title}")

    @admin.display(description="next step")
    def next_step(self, batch: Batch) -> SafeString:
        words = {"draft": "Check and launch", "paused": "See why", "paused_funds": "See why"}
        page = "admin:hits_batch_live" if batch.is_launched else "admin:hits_batch_launch"
        return format_html(
            '<a href="{}">{}</a>', reverse(page, args=[batch.pk]), words.get(batch.status, "Progress")
        )


def terms_context(batch: Batch) -> dict[str, Any]:
    """Everything that was promised, in words, from the copies of other rows that the launch kept."""
    frozen = batch.terms or {}
    return {
        "title": "Terms of the batch",
        "batch": batch,
        "family": families.registered().get(batch.task),
        "cost": frozen.get("cost", {}).get("total", cost_of(batch).total),
        "rules": table_of(batch.rules_that_apply, items=batch.prices.items, currency=batch.currency),
        "fee_schedule": frozen.get("fee_schedule", batch.account.fee_schedule),
        "spans": guide.spans_of(batch),
        "requirements": frozen.get(
            "requirements_in_words",
            requirements_in_words(batch.requirements, english_speakers=batch.english_speakers),
        ),
    }
