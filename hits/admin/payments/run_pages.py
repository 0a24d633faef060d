"""Bonus runs: their list, and one run as its preparer, its approver and later readers see it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast
from urllib.parse import urlencode

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern
from django.utils import timezone
from django.utils.safestring import SafeString
from django_stubs_ext import WithAnnotations

from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.id_search import FoundById
from hits.admin.list_columns import money_column, number_column, state_tag
from hits.admin.page_parts import ReadOnlyAdmin
from hits.admin.payments import run_approval, run_prepare, run_steps
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run
from hits.payments.queries import run_list
from hits.payments.queries.run_table import Row, new_marks, outliers_of, owner_limit, rows_of

PAGE = 50
Status = Run.Status
# States that end by themselves, and how soon the page looks again while there are some.
MOVING = (Bonus.Status.APPROVED, Bonus.Status.SENDING, Bonus.Status.UNKNOWN)
LOOK_AGAIN_MS = 4_000
# How soon it does while nothing moves and another person may change something.
LOOK_FOR_OTHERS_MS = 5_000
TONES: dict[str, str] = {
    Status.DRAFT: "warn",
    Status.FROZEN: "warn",
    Status.APPROVED: "good",
    Status.REFUSED: "bad",
    Status.VOID: "bad",
}
DONE = (Bonus.Status.SENT, Bonus.Status.CONFIRMED, Bonus.Status.WAIVED)


class WaitingFilter(admin.SimpleListFilter):
    title = "what waits"
    parameter_name = "waits"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("me", "For me to decide"), ("mine", "Prepared by me")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Run]) -> QuerySet[Run]:
        if self.value() == "me":
            return queryset.filter(pk__in=run_list.runs_to_decide(request.user).values("pk"))
        return queryset.filter(prepared_by=request.user.pk) if self.value() == "mine" else queryset


@admin.register(Run)
class RunAdmin(FoundById, ReadOnlyAdmin[Run]):
    menu = MenuPlace(Section.MONEY, 3, "Bonus runs")
    nothing_yet = (
        "A run is a set of bonuses that one person prepares and another approves. Prepare one from what is "
        "owed."
    )
    list_display = (
        "title",
        "kind",
        "state",
        number_column("count"),
        money_column("total"),
        "prepared_by",
        "prepared_at",
        "decided_by",
    )
    list_filter = (WaitingFilter, "status", "kind")
    list_per_page = PAGE
    show_full_result_count = False
    id_fields = ("public_id",)
    search_fields = ("title", "note", "=digest", "=prepared_by__username")
    sortable_by = ()
    actions = None
    change_list_template = "admin/hits/run/list.html"

    def get_urls(self) -> list[URLPattern]:
        return [*run_prepare.urls(self), *run_approval.urls(self), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> "QuerySet[WithAnnotations[Run, run_list.Payment]]":
        return run_list.with_payment(
            run_list.waiting_first(run_list.visible_runs(request.user), request.user)
        )

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {"title": "Bonus runs", "may_prepare": request.user.has_perm("hits.prepare_run")}
        return super().changelist_view(request, {**(extra_context or {}), **context})

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        run = self.get_object(request, object_id)
        if run is None:
            raise Http404
        if not self.has_view_permission(request, run):
            raise PermissionDenied
        context = page_of(request, run, now=timezone.now())
        if "fragment" in request.GET:  # the part that the page polls for
            return TemplateResponse(request, "admin/hits/run/live.html", context)
        shared = {**self.admin_site.each_context(request), "opts": self.opts}
        return TemplateResponse(request, "admin/hits/run/page.html", {**shared, **context})

    @admin.display(description="status")
    def state(self, run: "WithAnnotations[Run, run_list.Payment]") -> SafeString:
        return state_tag(run_steps.state_with_payment(run), TONES.get(run.status, ""))


def page_of(request: HttpRequest, run: Run, *, now: datetime) -> dict[str, Any]:
    """The context of a run's page; nothing in it causes a query for each row."""
    rows = rows_of(run)
    is_open = run.status in (Status.DRAFT, Status.FROZEN)
    outliers = outliers_of(rows, run) if is_open else {}
    marks = _marks(rows, outliers)
    query, marked_only = request.GET.get("q", "").strip()[:100], request.GET.get("show") == "marked"
    found = find_rows(rows, query=query, keys=set(marks) if marked_only else None)
    found.sort(key=lambda row: (row.pk not in marks, row.pk))
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    return {
        "title": run.title,
        "run": run,
        "state": run_steps.ALL_PAID if _is_all_paid(run, rows) else run_steps.state_of(run),
        "sum": run_steps.sum_in_words(run),
        "totals": run_list.totals_of(rows),
        "marked": len(marks),
        "page": page,
        "lines": _marked(page, marks),
        "query": query,
        "marked_only": marked_only,
        "keep": urlencode({"q": query, **({"show": "marked"} if marked_only else {})}) + "&",
        "since": run_list.since_freeze(run, rows, outliers) if run.status == Status.FROZEN else None,
        "every_ms": _look_again_ms(run, rows),
        **_progress(run, rows),
        **_rights(request, run, rows),
    }


def find_rows(rows: Sequence[Row], *, query: str, keys: set[int] | None = None) -> list[Row]:
    """Rows whose pseudonym, rule, batch, reason or id contains the query."""
    words = query.casefold()
    return [row for row in rows if (keys is None or row.pk in keys) and words in _searched(row).casefold()]


def _searched(row: Row) -> str:
    return " ".join(
        (row.now["worker"], row.now["rule"], row.batch_title, row.now["reason"], str(row.now["bonus"]))
    )


def _marks(rows: Sequence[Row], outliers: dict[int, list[str]]) -> dict[int, list[str]]:
    """What stood out when the run was frozen or approved, and what stands out now if it is still open."""
    fresh = new_marks(rows, outliers)
    marks = {row.pk: [*row.flags, *fresh.get(row.pk, [])] for row in rows}
    return {pk: words for pk, words in marks.items() if words}


def _marked(page: Page[Row], marks: dict[int, list[str]]) -> list[tuple[Row, list[str]]]:
    return [(row, marks.get(row.pk, [])) for row in cast("list[Row]", page.object_list)]


def _is_all_paid(run: Run, rows: Sequence[Row]) -> bool:
    return run.status == Status.APPROVED and all(row.is_paid for row in rows)


def _progress(run: Run, rows: Sequence[Row]) -> dict[str, Any]:
    if run.status not in (Status.APPROVED, Status.VOID) or not run.decided_at:
        return {}
    return {
        "progress": run_list.progress_of(rows),
        "is_stopped": run_steps.is_stopped(rows),
        "paid": run_list.paid_of(rows),
        "is_refused": _is_refused(rows),
        "done": sum(row.status in DONE for row in rows),
        "is_moving": _is_moving(rows),
    }


def _is_moving(rows: Sequence[Row]) -> bool:
    return any(row.status in MOVING for row in rows)


def _look_again_ms(run: Run, rows: Sequence[Row]) -> int:
    """How soon an open page of the run looks again; 0 once nothing can change soon."""
    is_open = run.status in (Status.DRAFT, Status.FROZEN)
    if not is_open and _is_moving(rows):
        return LOOK_AGAIN_MS
    return LOOK_FOR_OTHERS_MS if is_open or _is_refused(rows) else 0


def _is_refused(rows: Sequence[Row]) -> bool:
    return any(row.is_live and row.status == Bonus.Status.REFUSED for row in rows)


def _rights(request: HttpRequest, run: Run, rows: Sequence[Row]) -> dict[str, Any]:
    """What this user can do now; the services decide again when asked."""
    user = request.user
    is_mine = run.prepared_by_id == user.pk
    may_prepare, may_approve = user.has_perm("hits.prepare_run"), user.has_perm("hits.approve_run")
    is_open = run.status in (Status.DRAFT, Status.FROZEN)
    decides = run.status == Status.FROZEN and may_approve and not is_mine
    limit = owner_limit(run, rows, user.pk) if decides else None
    return {
        "is_mine": is_mine,
        "may_edit": run.status == Status.DRAFT and is_mine and may_prepare,
        "may_thaw": run.status == Status.FROZEN and is_mine and may_prepare,
        "may_dissolve": is_open and may_prepare and (is_mine or not run.prepared_by.is_active),
        "may_split": is_open and is_mine and may_prepare and run.count > 1,
        "may_hold": is_open and user.has_perm("hits.hold_bonus"),
        "may_decide": decides,
        "may_approve": decides and limit is None,
        "limit": limit,
    }
