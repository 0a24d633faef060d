"""The pages of a study, one for each tab. The first is its overview; the settings are the admin's form."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import unquote
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path

from hits.admin.audit_queries import events_for
from hits.admin.batches.batch_export_pages import EXPORT
from hits.admin.page_parts import events_page, read_number
from hits.admin.selection import signed_in
from hits.admin.studies.overview import StudyView, overview_of
from hits.admin.studies.study_pages import Tab, pages_on
from hits.admin.studies.study_tabs import NAMES, SHOWN, families_used, tabs_of
from hits.batches.queries.tally import batches_with_counts
from hits.batches.queries.undecided_bonuses import count_undecided
from hits.core.models.audit_events import AuditEvent
from hits.review.queries import review_queue
from hits.studies.models import Batch, Study
from hits.work.access import studies_of

Studies = admin.ModelAdmin[Study]
SAFE = ("GET", "HEAD")
MOST_BATCHES = 50
EVENTS = 30


def urls(studies: Studies) -> list[URLPattern]:
    def at(tab: Tab) -> URLPattern:
        view = studies.admin_site.admin_view(partial(tab_view, studies, tab=tab))
        return path(f"<int:pk>/{tab.value}/", view, name=f"hits_study_{tab.value}")

    return [at(tab) for tab in PARTS if tab != Tab.OVERVIEW]


def tab_view(studies: Studies, request: HttpRequest, pk: int, *, tab: Tab) -> HttpResponse:
    if request.method not in SAFE:
        return HttpResponseNotAllowed(SAFE)
    if not studies.has_view_permission(request):
        raise PermissionDenied
    user = signed_in(request)
    if tab in SHOWN and not SHOWN[tab](user):
        raise PermissionDenied
    study = get_object_or_404(studies_of(user), pk=pk)
    used = families_used(study, user=user)
    context = {
        **studies.admin_site.each_context(request),
        "opts": studies.opts,
        "title": str(study) if tab == Tab.OVERVIEW else f"{study}: {NAMES[tab].lower()}",
        "study": study,
        "tab": tab.value,
        "tabs": tabs_of(study, user=user, used=used),
        "links": list(pages_on(tab, study=study, user=user)),
        **PARTS[tab](StudyView(request=request, study=study, user=user, used=used)),
    }
    return TemplateResponse(request, f"admin/hits/study/{tab.value}.html", context)


def key_of(object_id: str) -> int:
    """Return the key in an address of Django's own form; of something that is none, a key that no row has."""
    return read_number(unquote(object_id)) or 0


def _people(view: StudyView) -> dict[str, Any]:
    return {
        "members": view.study.members.order_by("username"),
        "marketplace_url": settings.MARKETPLACE_URL,
    }


def _work(view: StudyView) -> dict[str, Any]:
    batches = list(_batches(view.study)[: MOST_BATCHES + 1])
    return {"batches": batches[:MOST_BATCHES], "has_more": len(batches) > MOST_BATCHES}


def _review(view: StudyView) -> dict[str, Any]:
    counts = review_queue.waiting_by_batch(study=view.study)
    batches = _batches(view.study).filter(pk__in=counts)[:MOST_BATCHES] if counts else []
    return {"batches": [(batch, counts[batch.pk]) for batch in batches]}


def _money(view: StudyView) -> dict[str, Any]:
    rules = [(rule.name, rule.in_words(currency=view.study.currency)) for rule in view.study.rules]
    return {"rules": rules, "undecided": count_undecided(view.study)}


def _data(view: StudyView) -> dict[str, Any]:
    found = ((pages, view.project_in(pages)) for pages in view.used)
    cards = [(pages.name, card) for pages, project in found for card in pages.cards_for(project, view.user)]
    may_export = view.user.has_perms(["hits.view_batch", EXPORT])
    launched = _batches(view.study).filter(launched_at__isnull=False)
    return {
        "cards": [(name, card) for name, card in cards if card.is_data],
        "batches": list(launched[:MOST_BATCHES]) if may_export else [],
    }


def _log(view: StudyView) -> dict[str, Any]:
    request, study = view.request, view.study
    sees_events = view.user.has_perm("hits.view_auditevent")
    rows = events_for(view.user) if sees_events else AuditEvent.objects.none()
    events = rows.filter(study=study).select_related("by")
    content = ContentType.objects.get_for_model(Study)
    changes = LogEntry.objects.filter(content_type=content, object_id=str(study.pk)).select_related("user")
    return {
        "sees_events": sees_events,
        **events_page(events, before=request.GET.get("before", ""), most=EVENTS),
        "changes": changes.order_by("-pk")[:EVENTS],
    }


def _batches(study: Study) -> QuerySet[Batch]:
    return batches_with_counts().filter(study=study).order_by("-pk")


PARTS: Mapping[Tab, Callable[[StudyView], Mapping[str, Any]]] = {
    Tab.OVERVIEW: overview_of,
    Tab.PEOPLE: _people,
    Tab.WORK: _work,
    Tab.REVIEW: _review,
    Tab.MONEY: _money,
    Tab.DATA: _data,
    Tab.LOG: _log,
}
