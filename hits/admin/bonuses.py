"""What is owed beyond the rewards. Rows are put into runs, held and released from here."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone

from hits.access import visible
from hits.admin import run_prepare
from hits.admin.parts import ReadOnlyAdmin, VisibleStudies
from hits.admin.selecting import signed_in
from hits.errors import RuleBroken
from hits.models import Bonus
from hits.services import run_rows

# As many are held or released by one click at most.
MOST = 500


class HeldFilter(admin.SimpleListFilter):
    title = "hold"
    parameter_name = "hold"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Held"), ("no", "Not held")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Bonus]) -> QuerySet[Bonus]:
        if self.value() not in ("yes", "no"):
            return queryset
        return queryset.filter(held_at__isnull=self.value() == "no")


@admin.register(Bonus)
class BonusAdmin(ReadOnlyAdmin[Bonus]):
    list_display = ("worker", "amount", "rule", "study", "state", "approved_by", "problem")
    list_filter = ("status", HeldFilter, ("assignment__hit__batch__study", VisibleStudies))
    list_select_related = ("assignment__worker", "assignment__hit__batch__study", "approved_by")
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("assignment__worker__pseudonym", "rule", "token")
    ordering = ("-pk",)
    actions = ("put_into_run", "hold", "release")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Bonus]:
        return visible(super().get_queryset(request), request.user)

    def has_prepare_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("hits.prepare_run") and request.user.has_perm("hits.view_run")

    def has_hold_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("hits.hold_bonus")

    @admin.action(description="Put into a run…", permissions=["prepare"])
    def put_into_run(self, request: HttpRequest, rows: QuerySet[Bonus]) -> HttpResponse:
        return run_prepare.ask_about(request, rows)

    @admin.action(description="Hold…", permissions=["hold"])
    def hold(self, request: HttpRequest, rows: QuerySet[Bonus]) -> HttpResponse:
        """Asked once more, for the reason."""
        chosen = list(rows.order_by("pk")[: MOST + 1])
        if len(chosen) > MOST:
            messages.error(request, f"At most {MOST} at once, please. Nothing was held.")
            return redirect(request.get_full_path())
        if "confirmed" not in request.POST:
            context = {
                **self.admin_site.each_context(request),
                "title": "Hold?",
                "chosen": chosen,
                "total": sum(bonus.amount for bonus in chosen),
            }
            return TemplateResponse(request, "admin/hits/run/hold.html", context)
        try:
            count = run_rows.hold_bonuses(
                bonuses=chosen,
                reason=request.POST.get("text", ""),
                by=signed_in(request),
                now=timezone.now(),
            )
        except RuleBroken as broken:
            messages.error(request, str(broken))
        else:
            messages.success(request, f"Held: {count}. They are owed still, and in no run until released.")
        return redirect(request.get_full_path())

    @admin.action(description="Release", permissions=["hold"])
    def release(self, request: HttpRequest, rows: QuerySet[Bonus]) -> HttpResponse:
        try:
            count = run_rows.release_bonuses(bonuses=rows[:MOST], by=signed_in(request), now=timezone.now())
        except RuleBroken as broken:
            messages.error(request, str(broken))
        else:
            messages.success(request, f"Released: {count}. They can go into a run again.")
        return redirect(request.get_full_path())

    @admin.display(ordering="assignment__worker__pseudonym")
    def worker(self, bonus: Bonus) -> str:
        return bonus.assignment.worker.pseudonym

    @admin.display(ordering="assignment__hit__batch__study__name")
    def study(self, bonus: Bonus) -> str:
        return str(bonus.assignment.hit.batch.study)

    @admin.display(description="status", ordering="status")
    def state(self, bonus: Bonus) -> str:
        words = bonus.get_status_display()
        return f"{words}; held: {bonus.held_reason}" if bonus.held_at else words
