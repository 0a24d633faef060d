"""HITs: found by id, task or batch, and steered one by one or as a selection."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from hits.admin.batches.steer import STEER
from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.list_columns import number_column, progress_bar, state_column
from hits.admin.page_parts import ReadOnlyAdmin, in_words
from hits.admin.selection import signed_in
from hits.admin.work import hit_actions
from hits.core.domain.typed_text import read_uuid
from hits.studies.models import Batch
from hits.sync.services.noticing_early_ends import operator_writes
from hits.work import access
from hits.work.models.assignments import Assignment
from hits.work.models.early_ends import EarlyEnd
from hits.work.models.hits import HIT, Change

NEWEST_BATCHES = 15
ASSIGNMENTS = 50
CHANGES = 20


class BatchFilter(admin.SimpleListFilter):
    """A filter by the newest batches and the one asked for: a full list would grow with history."""

    title = "batch"
    parameter_name = "batch"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        rows = access.visible(Batch.objects.exclude(launched_at=None), request.user)
        newest = list(rows.order_by("-pk").values_list("pk", "title")[:NEWEST_BATCHES])
        chosen = request.GET.get(self.parameter_name, "")
        if chosen not in {str(pk) for pk, _ in newest} and _is_number(chosen):
            newest += rows.filter(pk=int(chosen)).values_list("pk", "title")
        return [(str(pk), f"{title} ({pk})") for pk, title in newest]

    def queryset(self, request: HttpRequest, queryset: QuerySet[HIT]) -> QuerySet[HIT]:
        chosen = self.value()
        if chosen is None:
            return queryset
        return queryset.filter(batch=int(chosen)) if _is_number(chosen) else queryset.none()


class TroubleFilter(admin.SimpleListFilter):
    title = "trouble"
    parameter_name = "trouble"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("yes", "With a problem"),
            ("ended", "Ended at the marketplace before its time"),
            ("refused", "With a change refused"),
            ("waiting", "With a change on its way"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[HIT]) -> QuerySet[HIT]:
        if self.value() == "yes":
            return queryset.exclude(problem="")
        if self.value() == "ended":
            return queryset.filter(pk__in=EarlyEnd.objects.in_force().values("hit"))
        states = {"refused": Change.Status.REFUSED, "waiting": Change.Status.INTENDED}
        if self.value() in states:
            changes = Change.objects.filter(status=states[str(self.value())])
            return queryset.filter(pk__in=changes.values("hit"))
        return queryset


@admin.register(HIT)
class HITAdmin(ReadOnlyAdmin[HIT]):
    menu = MenuPlace(Section.WORK, 3)
    nothing_yet = (
        "A HIT is one task at the provider. HITs are made when a batch is launched, and are listed here "
        "from then on."
    )
    list_display = (
        "__str__",
        "of_batch",
        number_column("number"),
        state_column(good=[HIT.Status.OPEN], warn=[HIT.Status.INTENDED]),
        "filled",
        "expires_at",
        "next_look",
    )
    list_filter = ("status", TroubleFilter, BatchFilter)
    list_select_related = ("batch",)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("external_id",)
    # A count beside each filter would cost a query each.
    show_facets = admin.ShowFacets.NEVER
    ordering = ("-pk",)
    actions = ("expire", "extend", "add_places")

    def get_urls(self) -> list[URLPattern]:
        steer = self.admin_site.admin_view(self.steer_view)
        return [path("<int:hit_id>/steer/<slug:verb>/", steer, name="hits_hit_steer"), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[HIT]:
        """HITs with the number of submissions, which is counted only for the rows shown."""
        submitted = Assignment.objects.filter(hit=OuterRef("pk"), submitted_at__isnull=False).order_by()
        counted = submitted.values("hit").annotate(n=Count("pk")).values("n")
        filled = Coalesce(Subquery(counted, output_field=IntegerField()), 0)
        return access.visible(super().get_queryset(request), request.user).annotate(submitted=filled)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[HIT], search_term: str
    ) -> tuple[QuerySet[HIT], bool]:
        """Search whole ids by index; several at once find each of them."""
        words = search_term.replace(",", " ").split()
        if not words:
            return queryset, False
        numbers = [int(word[1:]) for word in words if word.startswith("#") and _is_number(word[1:])]
        ours = [found for word in words if (found := read_uuid(word))]
        wanted = Q(external_id__in=words) | Q(public_id__in=ours) | Q(number__in=numbers)
        return queryset.filter(wanted), False

    def has_steer_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(STEER)

    @admin.action(description="Expire: nobody starts any more", permissions=["steer"])
    def expire(self, request: HttpRequest, rows: QuerySet[HIT]) -> HttpResponse:
        return self._steer_selection(request, rows, "expire")

    @admin.action(description="Extend: more time to start…", permissions=["steer"])
    def extend(self, request: HttpRequest, rows: QuerySet[HIT]) -> HttpResponse:
        return self._steer_selection(request, rows, "extend")

    @admin.action(description="Add places…", permissions=["steer"])
    def add_places(self, request: HttpRequest, rows: QuerySet[HIT]) -> HttpResponse:
        return self._steer_selection(request, rows, "add-places")

    def steer_view(self, request: HttpRequest, hit_id: int, verb: str) -> HttpResponse:
        """Apply a list's verb to one HIT."""
        return hit_actions.pages_of(self).answer(request, verb, hit_id=hit_id)

    def _steer_selection(self, request: HttpRequest, rows: QuerySet[HIT], verb: str) -> HttpResponse:
        """Apply a verb to the filtered selection, which a second POST to the same list finds again."""
        chosen = HIT.objects.filter(pk__in=rows.order_by().values("pk"))
        return hit_actions.pages_of(self).answer_list(
            request, verb, [hit_actions.SelectedHITs(chosen=chosen)]
        )

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show a HIT: what it is, what is being changed, and who has worked on it."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        if not _is_number(object_id):
            raise Http404
        hit = get_object_or_404(self.get_queryset(request).select_related("batch__study"), pk=int(object_id))
        work = hit.assignments.select_related("worker").defer("worker__external_id").order_by("-pk")
        assignments = list(work[: ASSIGNMENTS + 1])
        now = timezone.now()
        early_end = EarlyEnd.objects.in_force().filter(hit=hit).first()
        context = {
            **self.admin_site.each_context(request),
            "title": f"HIT of task {hit.number}",
            "hit": hit,
            "look": _look(hit.look_at, now=now) if hit.status == HIT.Status.OPEN else "",
            "early_end": early_end,
            "end_reasons": operator_writes([early_end.reason]) if early_end and early_end.reason else "",
            "is_past": bool(hit.expires_at and hit.expires_at <= now),
            "changes": list(hit.changes.select_related("by").order_by("-pk")[:CHANGES]),
            "assignments": assignments[:ASSIGNMENTS],
            "has_more": len(assignments) > ASSIGNMENTS,
            "sees_work": request.user.has_perm("hits.view_assignment"),
            "verbs": hit_actions.offered_for(hit, user=signed_in(request)),
        }
        return TemplateResponse(request, "admin/hits/hit.html", context)

    @admin.display(description="batch", ordering="batch")
    def of_batch(self, hit: HIT) -> SafeString:
        address = reverse("admin:hits_batch_live", args=[hit.batch_id])
        return format_html('<a href="{}">{}</a>', address, hit.batch.title)

    @admin.display(description="submitted")
    def filled(self, hit: HIT) -> SafeString:
        submitted = hit.submitted  # type: ignore[attr-defined]
        return progress_bar(submitted, hit.max_assignments, label=f"Submitted of {hit}")

    @admin.display(description="next look", ordering="look_at")
    def next_look(self, hit: HIT) -> str:
        return _look(hit.look_at, now=timezone.now()) if hit.status == HIT.Status.OPEN else "–"


def _look(at: datetime | None, *, now: datetime) -> str:
    if at is None or at <= now:
        return "now"
    return f"in {in_words(int((at - now).total_seconds()) + 1)}"


def _is_number(text: str) -> bool:
    """Whether the text is a number that a column can hold."""
    return text.isascii() and text.isdigit() and len(text) < 10
