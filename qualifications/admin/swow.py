"""Association lists in the admin: what was imported, what people say to a word, and removal."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import ReadOnlyAdmin, read_number
from qualifications.models import SwowList
from qualifications.queries.association_graph import EdgeInWords, associations_of, cues_of, words_beginning
from qualifications.services.removing_lists import remove_list

LISTS = "admin:qualifications_swowlist_changelist"
REMOVE = "qualifications.delete_swowlist"
SHOWN = 50
GUESSES = 12


@admin.register(SwowList)
class SwowListAdmin(ReadOnlyAdmin[SwowList]):
    menu = MenuPlace(Section.SET_UP, 3)
    nothing_yet = (
        "An association list is imported on the server, as said above; it is listed here while it is read, "
        "and after."
    )
    list_display = ("name", "status", "kind", "language", "cues", "associations", "imported_at")
    search_fields = ("name", "sha256")
    show_full_result_count = False
    change_list_template = "admin/qualifications/swow/list.html"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<int:pk>/remove/", view(self.remove_view), name="qualifications_swow_remove"),
            *super().get_urls(),
        ]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return super().changelist_view(request, {**(extra_context or {}), "title": "Association lists"})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show one list, and what people say to the word that was searched for."""
        swow = self._find(request, read_number(object_id))
        word = request.GET.get("word", "").strip()[:200]
        context = {
            "title": swow.name,
            "swow": swow,
            "word": word,
            "may_remove": self._may_remove(request) and swow.status != SwowList.Status.LEAVING,
            **(_look_up(swow, word) if word and swow.is_ready else {}),
        }
        shared = {**self.admin_site.each_context(request), "opts": self.opts}
        return TemplateResponse(request, "admin/qualifications/swow/one.html", {**shared, **context})

    def remove_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        pages = ActionPages(
            actions={"remove": REMOVING},
            find=lambda request, pk: [self._find(request, pk)],
            back=_address,
            shared=lambda found: {
                "opts": self.opts,
                "trail": [("Association lists", reverse(LISTS)), (found[0].name, _address(found))],
            },
        )
        return pages.answer(request, "remove", pk=pk)

    @admin.display(ordering="cues_count")
    def cues(self, swow: SwowList) -> str:
        return f"{swow.cues_count:,}"

    @admin.display(ordering="edges_count")
    def associations(self, swow: SwowList) -> str:
        return f"{swow.edges_count:,}"

    def _find(self, request: HttpRequest, pk: int | None) -> SwowList:
        if not self.has_view_permission(request):
            raise PermissionDenied
        found = None if pk is None else SwowList.objects.filter(pk=pk).first()
        if found is None:
            raise Http404("There is no such list.")
        return found

    def _may_remove(self, request: HttpRequest) -> bool:
        return request.user.has_perm(REMOVE)


def _address(found: Sequence[SwowList]) -> str:
    return reverse("admin:qualifications_swowlist_change", args=[found[0].pk])


def _ask_to_remove(call: Call[SwowList]) -> Confirm:
    return Confirm(
        title=f"Remove {call.row.name}?",
        text=f"Its {call.row.rows:,} rows leave the database, and nobody can draw from it any more. This "
        "cannot be undone; the file can be imported again. What was drawn from it stays as it is.",
        button="Remove it",
    )


def _remove(call: Call[SwowList]) -> Outcome:
    remove_list(swow=call.row, by=call.by, now=call.now)
    return Outcome(
        said=f"The list {call.row.name} is hidden now; its rows are being deleted.", to=reverse(LISTS)
    )


REMOVING = Action(label="Remove", permissions=[REMOVE], confirm=_ask_to_remove, run=_remove)


def _look_up(swow: SwowList, word: str) -> dict[str, Any]:
    said = associations_of(swow=swow, word=word, limit=SHOWN + 1)
    said_to = cues_of(swow=swow, word=word, limit=SHOWN + 1)
    guesses = [] if said or said_to else words_beginning(swow=swow, text=word, limit=GUESSES)
    tables = (
        ("said", f"What people say to “{word}”", "Response", [(one.response, one) for one in said]),
        ("said-to", f"What “{word}” is said to", "Cue", [(one.cue, one) for one in said_to]),
    )
    return {"guesses": guesses, "tables": [_table(*table) for table in tables] if said or said_to else []}


def _table(name: str, title: str, head: str, rows: Sequence[tuple[str, EdgeInWords]]) -> dict[str, Any]:
    shown = [
        {"word": word, "count": one.count, "total": one.total, "share": f"{float(100 * one.strength):.1f}"}
        for word, one in rows[:SHOWN]
    ]
    return {"name": name, "title": title, "head": head, "rows": shown, "has_more": len(rows) > SHOWN}
