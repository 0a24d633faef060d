"""Concepts of an association list that still need a picture, as a page and as a list to fill in."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.views.decorators.http import require_safe

from crowd.pictures.admin.pool_parts import LISTS, VIEW, render
from crowd.pictures.models import Picture
from crowd.pictures.queries.wanted_concepts import WantedConcept, ready_lists, wanted_concepts
from hits.admin.data.take_files import send_csv
from hits.admin.page_parts import read_number
from hits.admin.selection import PAGE, need
from hits.common.spreadsheets import Cell
from qualifications.models import SwowList

LONGEST_SEARCH = 80
# The columns of a list that the import reads, and two more that say what is known of each concept.
HEADER = ("concept", "url", "source", "licence", "credit", "caption", "answers", "in_pool")
WORDS: Mapping[str, str] = {
    Picture.Status.WAITING: "waits for the check",
    Picture.Status.UNFIT: "unfit",
    Picture.Status.REMOVED: "removed",
}
Test = Callable[[WantedConcept], bool]
# Choices of the filter, each with what it lets through.
WHICH: Mapping[str, tuple[str, Test]] = {
    "nothing": ("Without any picture", lambda one: not one.states and not one.coming),
    "awaited": ("With one that waits or comes in", lambda one: one.is_awaited),
    "lost": ("With unfit or removed ones only", lambda one: bool(one.states) and not one.is_awaited),
}
ORDERS: Mapping[str, tuple[str, Callable[[WantedConcept], Any]]] = {
    "word": ("Alphabet", lambda one: one.word),
    "answers": ("Most answers first", lambda one: (-one.answers, one.word)),
}


def urls(pool: admin.ModelAdmin[Picture]) -> list[URLPattern]:
    view = pool.admin_site.admin_view
    return [
        path("wanted/", view(require_safe(list_view)), name="pictures_wanted"),
        path("wanted/list/", view(require_safe(file_view)), name="pictures_wanted_file"),
    ]


def list_view(request: HttpRequest) -> HttpResponse:
    need(request, VIEW, LISTS)
    lists = list(ready_lists())
    context: dict[str, Any] = {"title": "Concepts that still need a picture", "lists": lists}
    if lists:
        swow = _chosen(request, lists)
        wanted = wanted_concepts(swow)
        found = _found(request, wanted.concepts)
        page = Paginator(found, PAGE).get_page(request.GET.get("page"))
        context |= {
            "swow": swow,
            "wanted": wanted,
            "found": len(found),
            "page": page,
            "rows": [(one, said_of(one)) for one in page],
            "q": _sought(request),
            "which": [(name, label, name == request.GET.get("which")) for name, (label, _) in WHICH.items()],
            "orders": [(name, label, name == request.GET.get("o")) for name, (label, _) in ORDERS.items()],
        }
    return render(request, "wanted", context)


def file_view(request: HttpRequest) -> HttpResponseBase:
    """The list as it is shown, to be filled in with addresses and uploaded as an import."""
    need(request, VIEW, LISTS)
    if not (lists := list(ready_lists())):
        raise Http404("There is no association list.")
    found = _found(request, wanted_concepts(_chosen(request, lists)).concepts)
    return send_csv(HEADER, _cells(found), name="concepts-that-still-need-a-picture.csv")


def said_of(concept: WantedConcept) -> str:
    """The pictures that the concept has in the pool although none is fit, in words; empty for none."""
    coming = [f"{concept.coming} being imported"] if concept.coming else []
    counts = [f"{concept.states[state]} {words}" for state, words in WORDS.items() if state in concept.states]
    return ", ".join([*coming, *counts])


def _chosen(request: HttpRequest, lists: Sequence[SwowList]) -> SwowList:
    """The list that the address names, or the first. Raises Http404 for one that is not there."""
    if not (given := request.GET.get("list", "")):
        return lists[0]
    key = read_number(given)
    if found := next((one for one in lists if one.pk == key), None):
        return found
    raise Http404("There is no such association list.")


def _sought(request: HttpRequest) -> str:
    return request.GET.get("q", "").replace("\0", "").strip()[:LONGEST_SEARCH]


def found_concepts(
    concepts: Sequence[WantedConcept], *, sought: str, which: str, order: str
) -> list[WantedConcept]:
    """The concepts that have this text in their word and pass the filter, in this order."""
    text = sought.casefold()
    _, test = WHICH.get(which, ("", lambda _: True))
    _, key = ORDERS.get(order, ORDERS["word"])
    return sorted((one for one in concepts if text in one.word and test(one)), key=key)


def _found(request: HttpRequest, concepts: Sequence[WantedConcept]) -> list[WantedConcept]:
    """The concepts that the address searches for, in its order."""
    return found_concepts(
        concepts,
        sought=_sought(request),
        which=request.GET.get("which", ""),
        order=request.GET.get("o", ""),
    )


def _cells(concepts: Sequence[WantedConcept]) -> Iterator[list[Cell]]:
    for one in concepts:
        yield [one.word, "", "", "", "", "", one.answers, said_of(one)]
