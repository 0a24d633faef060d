"""Holdings in the admin: the list, giving and revoking by hand, and the file with pseudonyms."""

from collections.abc import Iterator
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from hits.admin.data.take_files import send_csv
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import ReadOnlyAdmin, read_number
from hits.admin.selection import need
from hits.common.spreadsheets import Cell
from hits.core.domain.counted_nouns import plural
from qualifications.admin import giving_by_name, holding_changes, many_holdings
from qualifications.admin.attempts import VisibleGates
from qualifications.admin.finding_gates import GRADE, HOLDINGS, TAKE, VIEW, find_gate, gates_for, render
from qualifications.models import Attempt, Gate, Holding
from qualifications.services import sync_grants

HEADER = ("study", "gate", "worker", "holds", "changed_at", "revoked_at", "reason", "provider_told")
CHUNK = 2000
NONE_REFUSED = "The provider has refused none of these values, so none is told again."


class Holds(admin.SimpleListFilter):
    title = "what they hold"
    parameter_name = "holds"
    ways: ClassVar[dict[str, Q]] = {
        "passed": Q(value=Holding.Value.PASSED),
        "tried": Q(value=Holding.Value.TRIED),
        "revoked": Q(revoked_at__isnull=False),
    }

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("passed", "Passed"), ("tried", "Tried, and not passed"), ("revoked", "Taken back")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Holding]) -> QuerySet[Holding]:
        return queryset.filter(self.ways.get(self.value() or "", Q()))


class HeldAtProvider(Holds):
    title = "the provider"
    parameter_name = "provider"
    ways: ClassVar[dict[str, Q]] = {
        "told": Q(is_told=True),
        "untold": Q(is_told=False, problem=""),
        "problem": ~Q(problem=""),
    }

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("told", "Told"), ("untold", "Being told"), ("problem", "Could not be told")]


@admin.register(Holding)
class HoldingAdmin(ReadOnlyAdmin[Holding]):
    menu = MenuPlace(Section.PEOPLE, 4, "Qualifications held")
    nothing_yet = (
        "Nobody has been tested yet. What a worker holds of a gate is listed here from their first attempt "
        "on, or when it is given by hand."
    )
    list_display = ("person", "gate_name", "holds", "since", "why", "told_state")
    list_display_links = None  # the first column is one
    list_filter = (VisibleGates, Holds, HeldAtProvider)
    search_fields = ("=worker__pseudonym",)
    ordering = ("-pk",)
    list_per_page = 50
    show_full_result_count = False
    actions = ("take_back", "give_again", "tell_again")
    change_list_template = "admin/qualifications/holding/list.html"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("give/<int:gate_pk>/", view(giving_by_name.give_view), name="qualifications_give"),
            path("file/<int:gate_pk>/", view(file_view), name="qualifications_holdings_file"),
            path("many/<str:verb>/", view(many_holdings.many_view), name="qualifications_hand_many"),
            path("<int:pk>/<str:verb>/hand/", view(holding_changes.hand_view), name="qualifications_hand"),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Holding]:
        return holdings_for(request.user)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        gate = read_number(request.GET.get("gate", ""))
        chosen = gates_for(request.user).filter(pk=gate).first() if gate is not None else None
        user = request.user
        may = {"may_give": user.has_perm(GRADE), "may_take": user.has_perm(TAKE)}
        extra = {"gate": chosen, **may}
        return super().changelist_view(request, {**extra, **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        need(request, HOLDINGS)
        if request.method == "POST":
            raise PermissionDenied
        holding = get_object_or_404(self.get_queryset(request), pk=read_number(object_id))
        attempts = Attempt.objects.filter(gate=holding.gate_id, worker=holding.worker_id).order_by("-pk")
        context = {
            "title": f"{holding.worker}: {holding.gate.name}",
            "holding": holding,
            "holds": self.holds(holding),
            "told": self.told_state(holding),
            "attempts": attempts[:10],
            "may_give": request.user.has_perm(GRADE),
        }
        return render(request, "holding/one", context)

    def has_hand_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perms([HOLDINGS, GRADE])

    @admin.action(description="Take back from these workers…", permissions=["hand"])
    def take_back(self, request: HttpRequest, rows: QuerySet[Holding]) -> HttpResponse:
        return many_holdings.ask_about(request, rows, verb=holding_changes.REVOKE)

    @admin.action(description="Give to these workers…", permissions=["hand"])
    def give_again(self, request: HttpRequest, rows: QuerySet[Holding]) -> HttpResponse:
        return many_holdings.ask_about(request, rows, verb=holding_changes.GIVE)

    @admin.action(description="Tell the provider again", permissions=["hand"])
    def tell_again(self, request: HttpRequest, rows: QuerySet[Holding]) -> None:
        count = sync_grants.retell(rows)
        told = f"{plural(count, 'value')} that the provider refused will be told again in a moment."
        self.message_user(
            request, told if count else NONE_REFUSED, messages.SUCCESS if count else messages.WARNING
        )

    @admin.display(description="worker")
    def person(self, holding: Holding) -> SafeString:
        address = reverse("admin:qualifications_holding_change", args=[holding.pk])
        return format_html('<a href="{}">{}</a>', address, holding.worker)

    @admin.display(description="gate")
    def gate_name(self, holding: Holding) -> SafeString:
        return format_html("{}<br>{}", holding.gate.name, holding.gate.study)

    @admin.display(description="holds", ordering="value")
    def holds(self, holding: Holding) -> str:
        return value_in_words(holding)

    @admin.display(description="since", ordering="changed_at")
    def since(self, holding: Holding) -> str:
        return date_format(holding.changed_at, "j M Y, H:i")

    @admin.display(description="reason")
    def why(self, holding: Holding) -> str:
        by_hand = "Given by hand: the audit trail says why" if holding.is_held and holding.by_id else ""
        return holding.reason or by_hand or "–"

    @admin.display(description="provider", ordering="is_told")
    def told_state(self, holding: Holding) -> str:
        if holding.problem:
            return f"Not told: {holding.problem}"
        return "Told" if holding.is_told else "Being told"


def holdings_for(user: Any) -> QuerySet[Holding]:
    rows = Holding.objects.filter(gate__in=gates_for(user))
    return rows.select_related("worker", "gate__study")


def value_in_words(holding: Holding) -> str:
    if holding.value is None:
        return "Nothing: taken back" if holding.revoked_at else "Nothing"
    return Holding.Value(holding.value).label


def file_view(request: HttpRequest, gate_pk: int) -> HttpResponseBase:
    """Send the holdings with pseudonyms as a file, streamed while they are read."""
    gate = find_gate(request, gate_pk, VIEW, HOLDINGS, TAKE)
    return send_csv(HEADER, _lines(gate), name=f"gate-{str(gate.public_id)[:8]}.csv")


def _lines(gate: Gate) -> Iterator[list[Cell]]:
    rows = Holding.objects.filter(gate=gate).select_related("worker").order_by("pk")
    for row in rows.iterator(chunk_size=CHUNK):
        yield [
            gate.study.name,
            gate.name,
            row.worker.pseudonym,
            value_in_words(row),
            row.changed_at.isoformat(),
            row.revoked_at.isoformat() if row.revoked_at else "",
            row.reason,
            "yes" if row.is_told else "no",
        ]
