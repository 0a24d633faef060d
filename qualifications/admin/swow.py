"""Association lists: what was imported, what people say to a word, and how a list goes."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone

from hits.admin.parts import ReadOnlyAdmin, read_number
from hits.admin.selecting import signed_in
from hits.errors import RuleBroken
from qualifications.models import SwowList
from qualifications.queries.associations import Said, associations_of, cues_of, words_beginning
from qualifications.services.removing import remove_list

SHOWN = 50
GUESSES = 12


@admin.register(SwowList)
class SwowListAdmin(ReadOnlyAdmin[SwowList]):
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
        """One list, and what people say to the word that was asked for."""
        swow = self._find(request, read_number(object_id))
        word = request.GET.get("word", "").strip()[:200]
        context = {
            "title": swow.name,
            "swow": swow,
            "word": word,
            "may_remove": self._may_remove(request) and swow.status != SwowList.Status.LEAVING,
            **(_look_up(swow, word) if word and swow.is_ready else {}),
        }
        return self._render(request, "one", context)

    def remove_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        swow = self._find(request, pk)
        if not self._may_remove(request):
            raise PermissionDenied
        if request.method != "POST":
            return self._render(request, "remove", {"title": f"Remove {swow.name}?", "swow": swow})
        try:
            remove_list(swow=swow, by=signed_in(request), now=timezone.now())
        except RuleBroken as broken:
            messages.error(request, str(broken))
        else:
            messages.success(request, f"Nobody finds {swow.name} any more; its rows follow.")
        return redirect("admin:qualifications_swowlist_changelist")

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
        return request.user.has_perm("qualifications.delete_swowlist")

    def _render(self, request: HttpRequest, name: str, context: dict[str, Any]) -> HttpResponse:
        shared = {**self.admin_site.each_context(request), "opts": self.model._meta}
        return TemplateResponse(request, f"admin/qualifications/swow/{name}.html", {**shared, **context})


def _look_up(swow: SwowList, word: str) -> dict[str, Any]:
    said = associations_of(swow=swow, word=word, limit=SHOWN + 1)
    said_to = cues_of(swow=swow, word=word, limit=SHOWN + 1)
    guesses = [] if said or said_to else words_beginning(swow=swow, text=word, limit=GUESSES)
    tables = (
        ("said", f"What people say to “{word}”", "Response", [(one.response, one) for one in said]),
        ("said-to", f"What “{word}” is said to", "Cue", [(one.cue, one) for one in said_to]),
    )
    return {"guesses": guesses, "tables": [_table(*table) for table in tables] if said or said_to else []}


def _table(name: str, title: str, head: str, rows: Sequence[tuple[str, Said]]) -> dict[str, Any]:
    shown = [
        {"word": word, "count": one.count, "total": one.total, "share": f"{float(100 * one.strength):.1f}"}
        for word, one in rows[:SHOWN]
    ]
    return {"name": name, "title": title, "head": head, "rows": shown, "has_more": len(rows) > SHOWN}
