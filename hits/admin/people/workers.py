"""Workers under their pseudonyms: the list, and one page for each."""

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern
from django.utils import timezone

from hits import families
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import ReadOnlyAdmin, in_words
from hits.admin.people import letter_forms, worker_actions, worker_blocks
from hits.admin.people.worker_sections import SCORES, STANDING, sections_for
from hits.admin.selection import MOST, page_of, signed_in
from hits.identity.models.blocks import Block
from hits.identity.models.workers import Worker
from hits.people.queries import open_work, worker_record

TABS = {
    "work": "Work",
    STANDING: "Tests and consent",
    SCORES: "Scores",
    "payments": "Payments",
    "messages": "Messages",
    "blocks": "Blocks",
}
# Batches on one page of a worker's standing.
JUDGED = 4
# A tab needs one of the permissions that its content needs elsewhere.
NEEDS = {
    # What our page tells a worker of a test names the score.
    STANDING: ("hits.view_assignment",),
    SCORES: ("hits.view_assignment",),
    "payments": ("hits.view_bonus",),
    "messages": ("hits.view_message",),
    "blocks": ("hits.view_block", "hits.block_worker"),
}


class BlockedFilter(admin.SimpleListFilter):
    title = "blocks"
    parameter_name = "blocked"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("soft", "Blocked softly"),
            ("hard", "Blocked at the provider"),
            ("refused", "Refused by the provider"),
            ("no", "Not blocked"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Worker]) -> QuerySet[Worker]:
        of_worker = Block.objects.in_force().filter(worker=OuterRef("pk"))
        if self.value() in Block.Kind.values:
            return queryset.filter(Exists(of_worker.filter(kind=self.value())))
        if self.value() == "refused":
            refused = Block.objects.filter(worker=OuterRef("pk"), status=Block.Status.REFUSED)
            return queryset.filter(Exists(refused))
        return queryset.filter(~Exists(of_worker)) if self.value() == "no" else queryset


@admin.register(Worker)
class WorkerAdmin(ReadOnlyAdmin[Worker]):
    """Workers under their pseudonyms. Only the page of a disclosure shows a provider's id."""

    menu = MenuPlace(Section.PEOPLE, 1)
    nothing_yet = (
        "Workers are listed here under a pseudonym from the moment they accept a HIT of a launched batch. An "
        f"operator invites them at the marketplace's desk ({settings.MARKETPLACE_URL}/desk/, “Invite "
        "workers”) and sends each the link that it shows; a study's tab “People” says more."
    )
    list_display = ("pseudonym", "account", "handed_in", "approved", "standing", "created_at")
    list_filter = ("account", BlockedFilter)
    list_per_page = 50
    search_fields = ("pseudonym",)
    ordering = ("-pk",)
    show_full_result_count = False
    actions = ("write", "block_softly")

    def get_urls(self) -> list[URLPattern]:
        return [*worker_actions.urls(self), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Worker]:
        workers = worker_record.workers_for(request.user)
        shows_list = request.resolver_match and request.resolver_match.url_name == "hits_worker_changelist"
        return worker_record.with_counts(workers, request.user) if shows_list else workers

    def has_write_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("hits.send_message")

    def has_block_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("hits.block_worker")

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        context = {"title": "Workers", "may_find": request.user.has_perm("hits.see_worker_id")}
        return super().changelist_view(request, {**(extra_context or {}), **context})

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show a worker, one tab at a time, so that no tab's cost grows with the others."""
        worker = self.get_object(request, object_id)
        if worker is None:
            return self._get_obj_does_not_exist_redirect(  # type: ignore[attr-defined, no-any-return]
                request, self.opts, object_id
            )
        if not self.has_view_permission(request, worker):
            raise PermissionDenied
        tabs = _tabs_for(request.user)
        tab = request.GET.get("show", "work")
        tab = tab if tab in tabs else "work"
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": f"Worker {worker}",
            "worker": worker,
            "tab": tab,
            "tabs": tabs,
            "tab_template": f"admin/hits/worker/{tab}.html",
            "may_write": self.has_write_permission(request),
            "may_block": self.has_block_permission(request),
            "may_disclose": request.user.has_perm("hits.see_worker_id"),
            "sees_bonuses": "payments" in tabs,
            **_SHOWN[tab](request, worker),
        }
        return TemplateResponse(request, "admin/hits/worker/page.html", context)

    @admin.action(description="Write to these workers", permissions=["write"])
    def write(self, request: HttpRequest, rows: QuerySet[Worker]) -> HttpResponse | None:
        return None if self._are_too_many(request, rows) else letter_forms.show_compose(request, rows)

    @admin.action(description="Block these workers softly", permissions=["block"])
    def block_softly(self, request: HttpRequest, rows: QuerySet[Worker]) -> HttpResponse | None:
        if self._are_too_many(request, rows):
            return None
        return worker_blocks.show_block(request, rows, kind=Block.Kind.SOFT)

    def _are_too_many(self, request: HttpRequest, rows: QuerySet[Worker]) -> bool:
        too_many = rows.count() > MOST
        if too_many:
            messages.error(request, f"Choose at most {MOST} workers at once. Nothing was done.")
        return too_many

    @admin.display(description="submitted")
    def handed_in(self, worker: Worker) -> int:
        return worker.handed_in  # type: ignore[attr-defined, no-any-return]

    @admin.display
    def approved(self, worker: Worker) -> int:
        return worker.approved  # type: ignore[attr-defined, no-any-return]

    @admin.display(description="blocked")
    def standing(self, worker: Worker) -> str:
        return standing_of(worker) or "no"


def _tabs_for(user: Any) -> dict[str, str]:
    return {
        tab: words
        for tab, words in TABS.items()
        if tab not in NEEDS or any(user.has_perm(permission) for permission in NEEDS[tab])
    }


def standing_of(worker: Any) -> str:
    """The worker's blocks in words; "" if none is in force."""
    kinds = {"softly": worker.is_blocked_softly, "at the provider": worker.is_blocked_hard}
    return " and ".join(words for words, stands in kinds.items() if stands)


def _show_work(request: HttpRequest, worker: Worker) -> dict[str, Any]:
    record = worker_record.record_of(worker, request.user)
    median = worker_record.median_time(worker, request.user)
    rows = worker_record.work_with_bonuses(worker, request.user)
    return {
        "record": record,
        "median": None if median is None else in_words(round(median)),
        "means": [
            (families.measure_name(mean.measure), mean)
            for mean in worker_record.means_of(worker, request.user)
        ],
        "page": page_of(rows, number=request.GET.get("page"), total=record.total),
    }


def _show_payments(request: HttpRequest, worker: Worker) -> dict[str, Any]:
    sums = worker_record.bonus_sums(worker, request.user)
    rows = worker_record.bonuses_of(worker, request.user)
    return {
        "record": worker_record.record_of(worker, request.user),
        "sums": sums,
        "page": page_of(rows, number=request.GET.get("page"), total=sum(part.count for part in sums)),
    }


def _show_messages(request: HttpRequest, worker: Worker) -> dict[str, Any]:
    rows = worker_record.letters_to(worker, request.user)
    return {"page": page_of(rows, number=request.GET.get("page"), total=rows.count())}


def _show_blocks(request: HttpRequest, worker: Worker) -> dict[str, Any]:
    rows = worker.blocks.select_related("by", "lifted_by").order_by("-pk")
    return {"page": page_of(rows, number=request.GET.get("page"), total=rows.count())}


def _show_standing(request: HttpRequest, worker: Worker) -> dict[str, Any]:
    """Why the worker may or may not work. Each batch of a page costs the queries of an entry."""
    user, now = signed_in(request), timezone.now()
    page = Paginator(open_work.standing_batches(worker, user), JUDGED).get_page(request.GET.get("page"))
    blocks = Block.objects.in_force().filter(worker=worker).order_by("pk")
    return {
        "page": page,
        "verdicts": [open_work.judge(batch, worker=worker, now=now) for batch in page.object_list],
        "told": open_work.told_nothing(worker, user),
        "blocks": list(blocks) if "blocks" in _tabs_for(user) and standing_of(worker) else [],
        "sections": list(sections_for(worker, tab=STANDING, user=user)),
    }


def _show_scores(request: HttpRequest, worker: Worker) -> dict[str, Any]:
    return {"sections": list(sections_for(worker, tab=SCORES, user=signed_in(request)))}


_SHOWN = {
    "work": _show_work,
    STANDING: _show_standing,
    SCORES: _show_scores,
    "payments": _show_payments,
    "messages": _show_messages,
    "blocks": _show_blocks,
}
