"""Bonuses, owed beyond the rewards. From this list they are put into runs, held and released."""

from dataclasses import replace
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.defaultfilters import pluralize
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.id_search import FoundById
from hits.admin.list_columns import money_column, state_tag
from hits.admin.page_parts import ReadOnlyAdmin, VisibleStudies
from hits.admin.payments import bonus_page, run_prepare
from hits.admin.payments.run_page_rows import HOLD, WHY_HELD, name_bonuses
from hits.admin.selection import signed_in
from hits.common.currencies import in_each, sum_each
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import run_rows
from hits.work.access import visible

# The most bonuses that one click holds or releases.
MOST = 500
Status = Bonus.Status
TONES: dict[str, str] = {
    Status.OWED: "warn",
    Status.UNKNOWN: "bad",
    Status.REFUSED: "bad",
    Status.SENT: "good",
    Status.CONFIRMED: "good",
}
READ_WITH = (
    "assignment__worker",
    "assignment__account",
    "assignment__hit__batch__study",
    "held_by",
    "prepared_by",
    "approved_by",
)
VOIDED = "a frozen run with it is void"


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
class BonusAdmin(FoundById, ReadOnlyAdmin[Bonus]):
    menu = MenuPlace(Section.MONEY, 2)
    nothing_yet = (
        "Bonuses are owed when work is approved that earns them by the rules of its study. They are listed "
        "here, to be put into a run."
    )
    list_display = ("worker", money_column("amount"), "rule", "study", "state", "approved_by", "problem")
    list_filter = ("status", HeldFilter, ("assignment__hit__batch__study", VisibleStudies))
    list_per_page = 50
    show_full_result_count = False
    id_fields = ("public_id", "token")
    search_fields = ("assignment__worker__pseudonym", "rule", "reason")
    search_help_text = (
        "A bonus’s id, as in files and manifests, or its first 8 digits; a worker’s pseudonym, a rule, or a "
        "reason."
    )
    ordering = ("-pk",)
    actions = ("put_into_run", "hold", "release")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        own = [
            path(f"<int:pk>/{key}/", view(OF_ONE.view(key)), name=f"hits_bonus_{key}")
            for key in ("hold", "release")
        ]
        return [*own, *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Bonus]:
        rows = super().get_queryset(request).select_related(*READ_WITH).defer("assignment__answer")
        return visible(rows, request.user)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        bonus = self.get_object(request, object_id)
        if bonus is None:
            raise Http404
        if not self.has_view_permission(request, bonus):
            raise PermissionDenied
        tone, offered = TONES.get(bonus.status, ""), OF_ONE.offered(bonus, user=signed_in(request))
        return bonus_page.show(request, bonus, tone=tone, offered=offered, now=timezone.now())

    def has_prepare_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("hits.prepare_run") and request.user.has_perm("hits.view_run")

    def has_hold_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(HOLD)

    def found_words(self, row: Bonus) -> str:
        return f"{row.in_words} to {row.assignment.worker}, {row.rule}"

    @admin.action(description="Put into a run…", permissions=["prepare"])
    def put_into_run(self, request: HttpRequest, rows: QuerySet[Bonus]) -> HttpResponse:
        return run_prepare.ask_about(request, rows)

    @admin.action(description="Hold…", permissions=["hold"])
    def hold(self, request: HttpRequest, rows: QuerySet[Bonus]) -> HttpResponse:
        chosen = list(rows.order_by("pk")[: MOST + 1])
        return PAGES.answer_list(request, "hold", chosen, keys=[bonus.pk for bonus in chosen])

    @admin.action(description="Release", permissions=["hold"])
    def release(self, request: HttpRequest, rows: QuerySet[Bonus]) -> HttpResponse:
        return PAGES.answer_list(request, "release", list(rows[:MOST]))

    @admin.display(ordering="assignment__worker__pseudonym")
    def worker(self, bonus: Bonus) -> str:
        return bonus.assignment.worker.pseudonym

    @admin.display(ordering="assignment__hit__batch__study__name")
    def study(self, bonus: Bonus) -> str:
        return str(bonus.assignment.hit.batch.study)

    @admin.display(description="status", ordering="status")
    def state(self, bonus: Bonus) -> SafeString:
        tag = state_tag(bonus.get_status_display(), TONES.get(bonus.status, ""))
        if not bonus.held_at:
            return tag
        return format_html("{} {} {}", tag, state_tag("Held", "warn"), bonus.held_reason)


def _ask_to_hold(call: Call[Bonus]) -> Confirm:
    chosen = f"{len(call.rows)} bonus{pluralize(len(call.rows), 'es')}"
    total = in_each(sum_each((bonus.currency, bonus.amount) for bonus in call.rows))
    return Confirm(
        title="Hold?",
        text=f"{chosen} chosen, {total}: {name_bonuses(call.rows)}",
        consequences=[
            "A held bonus is still owed, and goes into no run until it is released.",
            emphasize("A draft loses it; {}. What is decided on already cannot be held.", VOIDED),
        ],
        button=f"Hold {chosen}",
    )


def _hold(call: Call[Bonus]) -> Outcome:
    count = run_rows.hold_bonuses(bonuses=call.rows, reason=call.values["text"], by=call.by, now=call.now)
    return Outcome(said=f"Held: {count}. They are owed still, and in no run until released.")


def _release(call: Call[Bonus]) -> Outcome:
    count = run_rows.release_bonuses(bonuses=call.rows, by=call.by, now=call.now)
    return Outcome(said=f"Released: {count}. They can go into a run again.")


def _are_too_many(call: Call[Bonus]) -> str:
    return f"At most {MOST} at once, please. Nothing was held." if len(call.rows) > MOST else ""


def _is_free_to_hold(bonus: Bonus) -> bool:
    return bonus.status == Status.OWED and bonus.held_at is None


def _find(request: HttpRequest, pk: int) -> list[Bonus]:
    if not request.user.has_perm("hits.view_bonus"):
        raise PermissionDenied
    return [get_object_or_404(visible(Bonus.objects.select_related(*READ_WITH), request.user), pk=pk)]


PAGES = ActionPages(
    actions={
        "hold": Action(
            label="Hold",
            permissions=[HOLD],
            offered=_is_free_to_hold,
            refuses=_are_too_many,
            form=WHY_HELD,
            confirm=_ask_to_hold,
            run=_hold,
        ),
        "release": Action(
            label="Release",
            permissions=[HOLD],
            offered=lambda bonus: bonus.held_at is not None,
            is_first=True,
            one_click=True,
            run=_release,
        ),
    },
    base="admin/hits/run/base.html",
)
# The same actions on a bonus's own page.
OF_ONE = replace(
    PAGES,
    find=_find,
    back=lambda rows: reverse("admin:hits_bonus_change", args=[rows[0].pk]),
    url=lambda bonus, key: reverse(f"admin:hits_bonus_{key}", args=[bonus.pk]),
    base="admin/hits/payments_base.html",
    shared=lambda rows: {"trail": bonus_page.trail_to(rows[0])},
)
