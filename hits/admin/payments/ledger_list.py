"""The ledger in the admin: all visible rows, and each study's books as a statement."""

from functools import partial

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.id_search import FoundById
from hits.admin.list_columns import money_column, two_lines
from hits.admin.page_parts import ReadOnlyAdmin, VisibleStudies
from hits.admin.payments import books
from hits.ledger.models.transfers import LedgerEntry
from hits.work.access import visible

AMOUNT = money_column("amount", currency="study.currency")


@admin.register(LedgerEntry)
class LedgerEntryAdmin(FoundById, ReadOnlyAdmin[LedgerEntry]):
    menu = MenuPlace(Section.MONEY, 5, "Ledger")
    nothing_yet = (
        "Every transfer of a study's money is listed here, from its first budget on. Give a study a budget "
        "on its page."
    )
    list_display = ("at", AMOUNT, "what", "worker", "study_and_batch", "books", "note", "by")
    file_columns = (
        "at",
        AMOUNT,
        "kind",
        "rule",
        "worker",
        "study",
        "batch",
        "books",
        "words",
        "grant_code",
        "by",
    )
    list_display_links = None
    list_filter = ("kind", ("study", VisibleStudies))
    id_fields = ("bonus__public_id", "bonus__token")
    pseudonym_field = "assignment__worker__pseudonym"
    search_fields = ("study__name", "batch__title", "grant_code", "words", "=by__username")
    search_help_text = (
        "A bonus’s id or its first 8 digits, or a worker’s pseudonym, as in files and manifests; or a study, "
        "batch, grant code, words of the row, or who booked it."
    )
    list_select_related = ("study", "batch__study", "by", "assignment__worker", "bonus")
    ordering = ("-pk",)
    list_per_page = 100
    show_full_result_count = False

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(partial(books.books_view, self))
        return [path("study/<int:pk>/", view, name="hits_ledger_study"), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[LedgerEntry]:
        rows = super().get_queryset(request).defer("assignment__answer")
        return visible(rows, request.user)

    @admin.display(ordering="kind")
    def what(self, entry: LedgerEntry) -> SafeString:
        """What was booked, and the rule of its bonus, which leads to the bonus."""
        return two_lines(entry.get_kind_display(), _link("bonus", entry.bonus_id, self.rule(entry)))

    def rule(self, entry: LedgerEntry) -> str:
        return entry.bonus.rule if entry.bonus else ""

    @admin.display(ordering="assignment__worker__pseudonym", empty_value="–")
    def worker(self, entry: LedgerEntry) -> SafeString | None:
        worker = entry.assignment.worker if entry.assignment else None
        return _link("worker", worker.pk, worker.pseudonym) if worker else None

    @admin.display(description="study, batch", ordering="study")
    def study_and_batch(self, entry: LedgerEntry) -> SafeString:
        return two_lines(entry.study, entry.batch.title if entry.batch else "")

    @admin.display(description="words, grant code")
    def note(self, entry: LedgerEntry) -> SafeString:
        return two_lines(entry.words, entry.grant_code)

    @admin.display(description="from → to")
    def books(self, entry: LedgerEntry) -> str:
        return f"{entry.get_source_display()} → {entry.get_target_display()}"


def _link(name: str, pk: int | None, words: str) -> SafeString:
    if pk is None:
        return format_html("{}", words)
    return format_html('<a href="{}">{}</a>', reverse(f"admin:hits_{name}_change", args=[pk]), words)
