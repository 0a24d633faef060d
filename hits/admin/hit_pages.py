"""HITs: found by id, task or batch, and steered one by one or as a selection."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from hits import access
from hits.admin.actions import Confirm
from hits.admin.batches.steer import (
    STEER,
    Facts,
    HoursForm,
    PlacesForm,
    do_once,
    extend_facts,
    last_deed,
    places_facts,
    plural,
)
from hits.admin.parts import ReadOnlyAdmin, in_words
from hits.domain.words import read_uuid
from hits.errors import RuleBroken
from hits.models import HIT, Assignment, Batch, Change
from hits.services import steering

NEWEST_BATCHES = 15
ASSIGNMENTS = 50
CHANGES = 20
AT_PROVIDER = (HIT.Status.OPEN, HIT.Status.CLOSED)
FORMS: Mapping[str, type[forms.Form] | None] = {"expire": None, "extend": HoursForm, "add-places": PlacesForm}
LABELS = {"expire": "Expire", "extend": "Extend", "add-places": "Add places"}
QUESTIONS = {
    "expire": "Expire these HITs?",
    "extend": "Give workers more time to start?",
    "add-places": "Ask more workers for each HIT?",
}


class BatchFilter(admin.SimpleListFilter):
    """The newest batches, and the one asked for: a list of all of them would grow with history."""

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
            ("refused", "With a change refused"),
            ("waiting", "With a change on its way"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[HIT]) -> QuerySet[HIT]:
        if self.value() == "yes":
            return queryset.exclude(problem="")
        states = {"refused": Change.Status.REFUSED, "waiting": Change.Status.INTENDED}
        if self.value() in states:
            changes = Change.objects.filter(status=states[str(self.value())])
            return queryset.filter(pk__in=changes.values("hit"))
        return queryset


@admin.register(HIT)
class HITAdmin(ReadOnlyAdmin[HIT]):
    list_display = ("__str__", "of_batch", "number", "status", "filled", "expires_at", "next_look")
    list_filter = ("status", TroubleFilter, BatchFilter)
    list_select_related = ("batch",)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("external_id",)
    # Counts beside every filter would be a query for each.
    show_facets = admin.ShowFacets.NEVER
    ordering = ("-pk",)
    actions = ("expire", "extend", "add_places")

    def get_urls(self) -> list[URLPattern]:
        steer = self.admin_site.admin_view(self.steer_view)
        return [path("<int:hit_id>/steer/<slug:verb>/", steer, name="hits_hit_steer"), *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[HIT]:
        """The count stands beside each row shown, and is asked for no other."""
        submitted = Assignment.objects.filter(hit=OuterRef("pk"), submitted_at__isnull=False).order_by()
        counted = submitted.values("hit").annotate(n=Count("pk")).values("n")
        filled = Coalesce(Subquery(counted, output_field=IntegerField()), 0)
        return access.visible(super().get_queryset(request), request.user).annotate(submitted=filled)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[HIT], search_term: str
    ) -> tuple[QuerySet[HIT], bool]:
        """Whole ids, by index. Several at once find each of them."""
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
        """The same verbs on one HIT."""
        if not (self.has_view_permission(request) and self.has_steer_permission(request)):
            raise PermissionDenied
        if verb not in FORMS:
            raise Http404
        hit = get_object_or_404(access.visible(HIT.objects.all(), request.user), pk=hit_id)
        back = reverse("admin:hits_hit_change", args=[hit.pk])
        return self._steer(request, HIT.objects.filter(pk=hit.pk), verb, back=back, carried=[])

    def _steer_selection(self, request: HttpRequest, rows: QuerySet[HIT], verb: str) -> HttpResponse:
        """Posted again to the same list, with the same filters, the selection is the same."""
        names = ("action", "select_across", "_selected_action", "index")
        carried = [(name, value) for name in names for value in request.POST.getlist(name)]
        back = request.get_full_path()
        return self._steer(
            request, HIT.objects.filter(pk__in=rows.order_by().values("pk")), verb, back=back, carried=carried
        )

    def _steer(
        self,
        request: HttpRequest,
        hits: QuerySet[HIT],
        verb: str,
        *,
        back: str,
        carried: Sequence[tuple[str, str]],
    ) -> HttpResponse:
        hits = hits.filter(status__in=AT_PROVIDER)
        counts = dict(hits.order_by().values_list("batch").annotate(n=Count("pk")))
        if not counts:
            messages.warning(request, "The provider has none of these HITs: there is nothing to change.")
            return redirect(back)
        form_class = FORMS[verb]
        is_answered = "confirmed" in request.POST or "asked" in request.POST
        form = form_class(request.POST if is_answered else None) if form_class else None
        is_checked = form is None or (form.is_bound and form.is_valid())
        numbers = form.cleaned_data if form is not None and is_checked else {}
        if "confirmed" in request.POST and is_checked:
            return self._do(request, hits, verb, counts=counts, back=back, **numbers)
        context = {
            **self.admin_site.each_context(request),
            "title": QUESTIONS[verb],
            "form": form,
            "is_checked": is_checked,
            "button": LABELS[verb],
            "warns": verb == "expire",
            "as_of": f"{last_deed([*counts])}-{sum(counts.values())}",
            "back": back,
            "carried": [*carried, ("asked", "yes")],
            "facts": self._consequences(hits, verb, counts=counts, **numbers).asked(Confirm()),
        }
        return TemplateResponse(request, "admin/hits/steer.html", context)

    def _consequences(
        self, hits: QuerySet[HIT], verb: str, *, counts: Mapping[int, int], **numbers: int
    ) -> Facts:
        count = sum(counts.values())
        where = plural(len(counts), "batch") if len(counts) == 1 else f"{len(counts)} batches"
        words = [f"{plural(count, 'HIT')} of {where}."]
        if verb == "expire":
            words += [
                "Nobody can start them any more. Whoever is at work may finish, and is paid.",
                "They can be opened again later: extend them.",
            ]
        elif numbers:
            batches = list(Batch.objects.filter(pk__in=[*counts]).select_related("study", "account"))
            if verb == "extend":
                return extend_facts(batches, hits, hours=numbers["hours"])
            return places_facts(batches, hits, places=numbers["places"])
        return Facts(words=words)

    def _do(
        self,
        request: HttpRequest,
        hits: QuerySet[HIT],
        verb: str,
        *,
        counts: Mapping[int, int],
        back: str,
        **numbers: int,
    ) -> HttpResponse:
        common: dict[str, Any] = {"hits": hits, "by": request.user, "now": timezone.now()}
        deeds = {
            "expire": partial(steering.expire_hits, **common),
            "extend": partial(steering.extend_hits, seconds=3600 * numbers.get("hours", 0), **common),
            "add-places": partial(steering.add_places, places=numbers.get("places", 0), **common),
        }
        as_of, _, count = request.POST.get("as_of", "").partition("-")
        # A selection by filters may hold other rows by now than those that were counted.
        as_of = as_of if count == str(sum(counts.values())) else ""
        try:
            done = do_once(by=request.user, batch_ids=[*counts], as_of=as_of, deed=deeds[verb])
        except RuleBroken as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, f"{plural(done or 0, 'change')} on the way to the provider.")
        return redirect(back)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """A HIT's own page: what it is, what is being changed, and who has worked on it."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        if not _is_number(object_id):
            raise Http404
        hit = get_object_or_404(self.get_queryset(request).select_related("batch__study"), pk=int(object_id))
        work = hit.assignments.select_related("worker").defer("worker__external_id").order_by("-pk")
        assignments = list(work[: ASSIGNMENTS + 1])
        context = {
            **self.admin_site.each_context(request),
            "title": f"HIT of task {hit.number}",
            "hit": hit,
            "look": _look(hit.look_at, now=timezone.now()) if hit.status == HIT.Status.OPEN else "",
            "changes": list(hit.changes.select_related("by").order_by("-pk")[:CHANGES]),
            "assignments": assignments[:ASSIGNMENTS],
            "has_more": len(assignments) > ASSIGNMENTS,
            "sees_work": request.user.has_perm("hits.view_assignment"),
            "verbs": self._verbs_of(request, hit),
        }
        return TemplateResponse(request, "admin/hits/hit.html", context)

    def _verbs_of(self, request: HttpRequest, hit: HIT) -> list[tuple[str, str]]:
        if hit.status not in AT_PROVIDER or not self.has_steer_permission(request):
            return []
        return [
            (label, reverse("admin:hits_hit_steer", args=[hit.pk, verb]))
            for verb, label in LABELS.items()
            if verb != "expire" or hit.status == HIT.Status.OPEN
        ]

    @admin.display(description="batch", ordering="batch")
    def of_batch(self, hit: HIT) -> SafeString:
        address = reverse("admin:hits_batch_live", args=[hit.batch_id])
        return format_html('<a href="{}">{}</a>', address, hit.batch.title)

    @admin.display(description="submitted")
    def filled(self, hit: HIT) -> str:
        return f"{hit.submitted} of {hit.max_assignments}"  # type: ignore[attr-defined]

    @admin.display(description="next look", ordering="look_at")
    def next_look(self, hit: HIT) -> str:
        return _look(hit.look_at, now=timezone.now()) if hit.status == HIT.Status.OPEN else "–"


def _look(at: datetime | None, *, now: datetime) -> str:
    if at is None or at <= now:
        return "now"
    return f"in {in_words(int((at - now).total_seconds()) + 1)}"


def _is_number(text: str) -> bool:
    """One that a column can hold."""
    return text.isascii() and text.isdigit() and len(text) < 10
