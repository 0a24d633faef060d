"""The pages of one example: written, read, made ready, withdrawn. A draft may lack anything."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import NON_FIELD_ERRORS, PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.urls import URLPattern
from django.utils import timezone

from crowd.winoground.admin.example_finding import VIEW, Pages, find_example, read_moment
from crowd.winoground.admin.example_forms import ExampleForm
from crowd.winoground.admin.example_verbs import action_view, offered_for
from crowd.winoground.domain import PLACES
from crowd.winoground.domain.captions import are_same, differing_words, swap
from crowd.winoground.domain.gendered_words import gendered_places, gendered_words
from crowd.winoground.models import Example, GenderedConfirmation, Project
from crowd.winoground.models.examples import LONGEST_CAPTION
from crowd.winoground.queries.examples import WRITE, may_change
from crowd.winoground.queries.people_shown import confirmed_places
from crowd.winoground.services.example_writing import (
    KeptExample,
    WrittenExample,
    change_example,
    is_fixed,
    is_writable,
    write_example,
)
from crowd.winoground.services.facts import facts_of
from crowd.winoground.services.readiness import faults_of
from hits.admin.actions import RowButton
from hits.admin.selection import signed_in
from hits.core.domain.typed_text import read_uuid
from hits.core.errors import RuleBroken

ADD_TAG = "winoground.add_tag"
MOST_LINES = 200


def urls(pages: Pages) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/examples/write/", write_view, "write_example"),
        pages.at("<int:pk>/examples/words/", words_view, "words"),
        pages.at("<int:pk>/examples/<uuid:example>/", example_view, "show_example"),
        pages.at("<int:pk>/examples/<uuid:example>/preview/", preview_view, "preview_example"),
        pages.at("<int:pk>/examples/<uuid:example>/history/", history_view, "example_history"),
        pages.at("<int:pk>/examples/<uuid:example>/<slug:verb>/", action_view, "example_verb"),
    ]


def write_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk, VIEW, WRITE)
    form, by = _form(request), signed_in(request)
    key = read_uuid(request.POST.get("key", "")) or uuid4()
    if request.method != "POST":
        return _show_form(pages, request, project, form, key=key)

    def keep(written: WrittenExample, now: datetime) -> KeptExample:
        ready = "ready" in request.POST
        return write_example(project=project, by=by, key=key, written=written, wants_ready=ready, now=now)

    if kept := _keep(form, keep):
        return _after(pages, request, kept)
    # Sent before, and with other words now: from here on, the form changes the example that is there.
    known = Example.objects.filter(public_id=key, project=project, author=by).first()
    return _show_form(pages, request, project, form, key=key, example=known)


def example_view(pages: Pages, request: HttpRequest, pk: int, example: UUID) -> HttpResponse:
    """Show a form if this person may change the example and it can be changed; otherwise show its facts."""
    found, by = find_example(pages, request, pk, example), signed_in(request)
    if request.method == "POST" and not may_change(by, found):
        raise PermissionDenied
    if request.method != "POST" and not (may_change(by, found) and is_writable(found)):
        return _show_facts(pages, request, found)
    form, seen = _form(request, found), request.POST.get("seen", "")
    if request.method != "POST":
        if "lacks" in request.GET:
            form.show(faults_of(found))
        return _show_form(pages, request, found.project, form, example=found)

    def keep(written: WrittenExample, now: datetime) -> KeptExample:
        ready = "ready" in request.POST
        return change_example(
            example=found, by=by, written=written, seen=read_moment(seen), wants_ready=ready, now=now
        )

    if kept := _keep(form, keep):
        return _after(pages, request, kept)
    if form.has_error(NON_FIELD_ERRORS, "stale"):
        found.refresh_from_db(fields=("changed_at",))
        seen = ""
    return _show_form(pages, request, found.project, form, example=found, seen=seen)


def preview_view(pages: Pages, request: HttpRequest, pk: int, example: UUID) -> HttpResponse:
    found = find_example(pages, request, pk, example)
    captions, images = (found.caption_0, found.caption_1), (found.image_0, found.image_1)
    pairs = [
        {
            "name": f"Caption {'AB'[caption]} with picture {'AB'[image]}",
            "caption": captions[caption],
            "picture": images[image],
            "is_match": caption == image,
        }
        for caption, image in PLACES
    ]
    context = {"title": f"{found}: as workers see it", "example": found, "pairs": pairs}
    return pages.render(request, "admin/winoground/preview.html", context, project=found.project)


def history_view(pages: Pages, request: HttpRequest, pk: int, example: UUID) -> HttpResponse:
    found = find_example(pages, request, pk, example)
    kind = ContentType.objects.get_for_model(Example)
    lines = LogEntry.objects.filter(content_type=kind, object_id=str(found.pk)).select_related("user")
    context = {"title": f"{found}: history", "example": found, "lines": lines.order_by("-pk")[:MOST_LINES]}
    return pages.render(request, "admin/winoground/history.html", context, project=found.project)


def words_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    """What the form says of two captions while they are typed, by the same rule. Nothing is kept."""
    pages.find(request, pk, VIEW, WRITE)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    captions = [request.POST.get(f"caption_{place}", "")[:LONGEST_CAPTION].strip() for place in (0, 1)]
    altered = request.POST.get("has_altered_morpheme", "") not in ("", "false")
    key = read_uuid(request.GET.get("example", ""))
    example = find_example(pages, request, pk, key) if key else None
    context = words_context(*captions, altered=altered, example=example)
    return render(request, "admin/winoground/words.html", context)


def words_context(first: str, second: str, *, altered: bool, example: Example | None) -> dict[str, Any]:
    stays = confirmed_places(example) if example else frozenset()
    waiting = {word for place, word in gendered_places(first, second) if (place, word) not in stays}
    gendered = gendered_words(first, second)
    return {
        "gendered": [word for word in gendered if word in waiting],
        "staying": [word for word in gendered if word not in waiting],
        **_words_of_both(first, second, altered=altered),
    }


def _words_of_both(first: str, second: str, *, altered: bool) -> dict[str, Any]:
    if not (first and second):
        return {"words": None}
    found = {
        "difference": differing_words(first, second),
        "are_same": are_same(first, second),
        "swap": swap(first, second),
        "altered": altered,
    }
    return {"words": found}


def _form(request: HttpRequest, example: Example | None = None) -> ExampleForm:
    sent = request.method == "POST"
    return ExampleForm(
        request.POST if sent else None,
        request.FILES if sent else None,
        example=example,
        user=signed_in(request),
        may_add_tags=request.user.has_perm(ADD_TAG),
    )


def _keep(form: ExampleForm, keep: Callable[[WrittenExample, datetime], KeptExample]) -> KeptExample | None:
    """Keep what was sent. None: the form says why not, and still has everything."""
    now = timezone.now()
    form.is_valid()
    form.take_pictures(now=now)
    if not form.is_valid():
        return None
    try:
        return keep(form.written(), now)
    except RuleBroken as refusal:
        form.refuse(refusal)
        return None


def _after(pages: Pages, request: HttpRequest, kept: KeptExample) -> HttpResponse:
    """Record what was done, and lead on to the example, with what it lacks if it was to be ready."""
    example = kept.example
    if kept.is_new:
        pages.log_addition(request, example, [{"added": {}}])
    if kept.changes:
        pages.log_change(request, example, "; ".join(kept.changes))
    for note in kept.notes:
        messages.warning(request, note)
    address = pages.address(example.project, "show_example", example.public_id)
    if kept.faults:
        messages.warning(
            request, f"{example} is saved as a draft. Correct what is named below to make it ready."
        )
        return redirect(f"{address}?lacks")
    messages.success(
        request, f"{example} is saved. It is {'ready' if example.state == 'ready' else 'a draft'}."
    )
    return redirect(address)


def _show_form(
    pages: Pages,
    request: HttpRequest,
    project: Project,
    form: ExampleForm,
    *,
    example: Example | None = None,
    key: UUID | None = None,
    seen: str = "",
) -> HttpResponse:
    captions = [form[f"caption_{place}"].value() or "" for place in (0, 1)]
    altered = bool(form["has_altered_morpheme"].value())
    action = pages.address(project, "show_example", example.public_id) if example else ""
    context = {
        "title": str(example) if example else "Write an example",
        "example": example,
        "form": form,
        "action": action,
        "key": key,
        "seen": seen or (example.changed_at.isoformat() if example else ""),
        "is_fixed": example is not None and is_fixed(example),
        "offered": _beside_the_form(pages, request, example) if example else (),
        "words_url": pages.address(project, "words") + (f"?example={example.public_id}" if example else ""),
        "confirmations": _confirmations(example),
        **words_context(*captions, altered=altered, example=example),
    }
    return pages.render(request, "admin/winoground/write.html", context, project=project)


def _show_facts(pages: Pages, request: HttpRequest, example: Example) -> HttpResponse:
    changeable = may_change(signed_in(request), example)
    context = {
        "title": str(example),
        "example": example,
        "facts": facts_of(example).items(),
        "offered": offered_for(pages, example, user=signed_in(request)) if changeable else (),
        "confirmations": _confirmations(example),
        **words_context(
            example.caption_0, example.caption_1, altered=example.has_altered_morpheme, example=example
        ),
    }
    return pages.render(request, "admin/winoground/example.html", context, project=example.project)


def _confirmations(example: Example | None) -> Sequence[GenderedConfirmation]:
    return list(example.gendered_confirmations.select_related("by")) if example else ()


def _beside_the_form(pages: Pages, request: HttpRequest, example: Example) -> Sequence[RowButton]:
    """Actions on the example, except those of the form's own buttons."""
    offered = offered_for(pages, example, user=signed_in(request))
    return [one for one in offered if one.key not in ("ready", "draft")]
