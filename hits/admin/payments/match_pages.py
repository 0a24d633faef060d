"""The pages of the three-way match: what was compared, what disagrees, and what to do about each."""

from decimal import Decimal
from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_POST

from hits.admin.actions import Action, Call, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import ReadOnlyAdmin, read_number
from hits.admin.payments.match_deposits import deposits_view
from hits.admin.payments.match_differences import DIFFERENCES, difference_view, list_view
from hits.admin.payments.match_parts import PAGE, VIEW, find_account, render
from hits.admin.selection import need
from hits.payments.domain.difference_causes import CAUSES
from hits.payments.models.matches import Match
from hits.payments.queries import match_rows as queries
from hits.payments.services import three_way_match
from hits.providers.models.accounts import Account

SHOWN = 50
# How soon the page of a running match polls again.
EVERY_MS = 2000
Status = Match.Status


@admin.register(Match)
class MatchAdmin(ReadOnlyAdmin[Match]):
    """The admin of matches. Its list shows accounts, each with the state of its newest match."""

    menu = MenuPlace(Section.MONEY, 4, "Comparisons with the provider")
    # The page has accounts; the file has every comparison.
    is_listed_in_file = True
    list_display = (
        "public_id", "account", "status", "started_at", "ended_at", "by", "hits_looked_at",
        "ours", "theirs", "balance", "expected_balance", "currency",
    )  # fmt: skip
    list_select_related = ("account", "by")
    ordering = ("-pk",)
    currency_path = "account.currency"

    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        return [
            path("differences/", shown(list_view), name="hits_difference_changelist"),
            path("differences/<int:pk>/", shown(difference_view), name="hits_difference_change"),
            path(
                "differences/<int:pk>/look/",
                shown(require_POST(DIFFERENCES.view("look"))),
                name="hits_difference_look",
            ),
            path(
                "accounts/<int:pk>/start/",
                shown(require_POST(STARTING.view("start"))),
                name="hits_match_start",
            ),
            path("accounts/<int:pk>/deposits/", shown(deposits_view), name="hits_deposits"),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        return super().get_queryset(request).filter(account__in=queries.accounts_for(request.user))

    @admin.display(description="currency")
    def currency(self, match: Match) -> str:
        return match.account.currency

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        need(request, VIEW)
        page = Paginator(queries.accounts_with_matches(request.user), PAGE).get_page(request.GET.get("page"))
        rows = _account_rows(list(page.object_list), request)
        context = {
            "title": "Comparisons with the provider",
            "page": page,
            "rows": rows,
            "keep": "",
            "open": sum(row["open"] for row in rows),
            "never": sum(row["done"] is None for row in rows),
            "stale": sum(bool(row["newer"]) for row in rows),
        }
        return render(request, "list.html", context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show a match; with ?fragment, only the part that the page polls for."""
        need(request, VIEW)
        matches = Match.objects.filter(account__in=queries.accounts_for(request.user))
        match = get_object_or_404(matches.select_related("account", "by"), pk=read_number(object_id))
        found = queries.differences_for(request.user).filter(last_match=match, resolved_at=None)
        rows = list(found.select_related("hit", "account").order_by("pk")[: SHOWN + 1])
        context = {
            "title": f"Comparison of {match.account.name}",
            "match": match,
            "every_ms": EVERY_MS if match.status == Status.RUNNING else 0,
            "looked_at": _progress(match),
            "parts": {name: Decimal(match.figures[name]) for name in PARTS if name in match.figures},
            "differences": rows[:SHOWN],
            "is_more": len(rows) > SHOWN,
            "causes": CAUSES,
            **_later(match),
        }
        return render(request, "parts.html" if "fragment" in request.GET else "match.html", context)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Redirect to the match's own page: it has no other history."""
        return redirect("admin:hits_match_change", object_id)


PARTS = ("deposits", "held", "rewards", "bonuses", "explained")


def _account_rows(accounts: list[Account], request: HttpRequest) -> list[dict[str, Any]]:
    """Accounts with their matches, differences and newer transfers, in five queries for a page."""
    keys = {key for one in accounts for key in (_key(one, "newest_match"), _key(one, "done_match")) if key}
    matches = Match.objects.in_bulk(list(keys))
    counts = queries.open_counts([account.pk for account in accounts], request.user)
    done = [match for match in matches.values() if match.status == Status.DONE]
    newer = queries.booked_since(done)
    return [
        {
            "account": account,
            "newest": matches.get(_key(account, "newest_match")),
            "done": matches.get(_key(account, "done_match")),
            "open": counts.get(account.pk, 0),
            "newer": newer.get(account.pk, 0),
        }
        for account in accounts
    ]


def _later(match: Match) -> dict[str, Any]:
    """What a finished match does not know: a later match, or the transfers booked since."""
    last = queries.last_done(match.account)
    if match.status != Status.DONE or last is None:
        return {}
    if last.pk != match.pk:
        return {"later": last}
    return {"newer": queries.booked_since([match]).get(match.account_id, 0)}


def _key(account: Account, name: str) -> int:
    return getattr(account, name) or 0


def _progress(match: Match) -> str:
    if match.status != Status.RUNNING:
        return f"{match.hits_looked_at} compared"
    if match.tries:
        return "All lists are read. The balance is counted again in a minute: something was on its way."
    if not match.hits_to_look_at:
        return "Counting what is to be compared."
    return f"{match.hits_looked_at} of {match.hits_to_look_at} compared"


def _start(call: Call[Account]) -> Outcome:
    full = call.sent.get("scope") == "full"
    match = three_way_match.start_match(account=call.row, full=full, by=call.by, now=call.now)
    return Outcome(to=reverse("admin:hits_match_change", args=[match.pk]))


STARTING = ActionPages(
    actions={"start": Action(label="Compare", one_click=True, run=_start)},
    find=lambda request, pk: [find_account(request, pk)],
    back=lambda _: reverse("admin:hits_match_changelist"),
)
