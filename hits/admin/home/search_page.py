"""Search from anywhere: every list of the navigation is searched as its own page would search it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib.admin import AdminSite, ModelAdmin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse

from hits.admin.home.navigation import Section
from hits.admin.id_search import FoundById
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run

LONGEST = 200
SHOWN = 5
# Money and what is set up have lists of their own, which are long: of money, only ids are looked up.
SEARCHED = {one.name.lower() for one in (Section.STUDIES, Section.WORK, Section.PEOPLE, Section.DATA)}
FOUND_BY_ID = (Bonus, Run)

# An id at the provider is looked up by a form of its own, which asks for a reason and puts it on record.
FINDS_WORKERS = ("hits.see_worker_id", "hits.view_worker")


@dataclass(frozen=True, kw_only=True)
class Found:
    """What one list has: the first rows, each with the address of its page, and whether there are more."""

    name: str
    rows: Sequence[tuple[str, str]]
    all_url: str
    has_more: bool


def search_view(site: AdminSite, request: HttpRequest) -> HttpResponse:
    text = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST]
    shared = site.each_context(request)
    found = list(_found(site, request, text, shared["available_apps"])) if text else []
    may_find = bool(text) and request.user.has_perms(FINDS_WORKERS)
    context = {**shared, "title": "Search", "q": text, "found": found, "may_find": may_find}
    return TemplateResponse(request, "admin/hits/search.html", context)


def _found(
    site: AdminSite, request: HttpRequest, text: str, sections: Sequence[Mapping[str, Any]]
) -> Iterator[Found]:
    for pages, one in _lists(site, sections):
        if not pages.search_fields or not pages.has_view_or_change_permission(request):
            continue
        rows = list(_rows(pages, request, text)[: SHOWN + 1])
        if rows:
            of = f"admin:{pages.opts.app_label}_{pages.opts.model_name}"
            yield Found(
                name=one["name"],
                rows=[(_words(pages, row), reverse(f"{of}_change", args=[row.pk])) for row in rows[:SHOWN]],
                all_url=f"{reverse(f'{of}_changelist')}?{urlencode({'q': text})}",
                has_more=len(rows) > SHOWN,
            )


def _lists(
    site: AdminSite, sections: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[ModelAdmin[Any], Mapping[str, Any]]]:
    """The lists to search, each with its place in the navigation; for ids, lists of money too."""
    for section in sections:
        for one in section.get("models", ()):
            pages = site.get_model_admin(one["model"]) if "model" in one else None
            if pages is None:
                continue
            if section["app_label"] in SEARCHED or one["model"] in FOUND_BY_ID:
                yield pages, one


def _words(pages: ModelAdmin[Any], row: Any) -> str:
    return pages.found_words(row) if isinstance(pages, FoundById) else str(row)


def _rows(pages: ModelAdmin[Any], request: HttpRequest, text: str) -> Any:
    everything = pages.get_queryset(request)
    if pages.model in FOUND_BY_ID and isinstance(pages, FoundById):
        found = pages.find_id(everything, text)
        return everything.none() if found is None else found.order_by("-pk")
    rows, has_duplicates = pages.get_search_results(request, everything, text)
    return (rows.distinct() if has_duplicates else rows).order_by(*(pages.ordering or ("-pk",)))
