"""The ledger in the admin: all visible rows, and each study's books as a statement."""

from functools import partial

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path

from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.id_search import FoundById
from hits.admin.list_columns import money_column
from hits.admin.page_parts import ReadOnlyAdmin, VisibleStudies
from hits.admin.payments import books
from hits.ledger.models.transfers import LedgerEntry
from hits.work.access import visible


@admin.register(LedgerEntry)
class LedgerEntryAdmin(FoundById, ReadOnlyAdmin[LedgerEntry]):
    menu = MenuPlace(Section.MONEY, 5, "Ledger")
    nothing_yet = (
        "Every transfer of a study's money is listed here, from its first budget on. Give a study a budget "
        "on its page."
    )
    list_display = (
        "at",
        money_column("amount"),
        "kind",
        "study",
        "batch",
        "by",
        "words",
        "books",
        "grant_code",
    )
    list_display_links = None
    list_filter = ("kind", ("study", VisibleStudies))
    id_fields = ("bonus__public_id", "bonus__token")
    pseudonym_field = "assignment__worker__pseudonym"
    search_fields = ("study__name", "batch__title", "grant_code", "words", "=by__username")
    search_help_text = (
        "A bonus’s whole id or a worker’s pseudonym, as in files and manifests; or a study, batch, grant "
        "code, words of the row, or who booked it."
    )
    list_select_related = ("study", "batch__study", "by")
    ordering = ("-pk",)
    list_per_page = 100
    show_full_result_count = False

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(partial(books.books_view, self))
        return [path("study/<int:pk>/", view, name="hits_ledger_study"), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[LedgerEntry]:
        return visible(super().get_queryset(request), request.user)

    @admin.display(description="from → to")
    def books(self, entry: LedgerEntry) -> str:
        return f"{entry.get_source_display()} → {entry.get_target_display()}"
