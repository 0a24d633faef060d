"""Pages about what annotators wrote: what is held back, and the annotations of each image."""

from collections.abc import Sequence
from typing import Any, cast

from django.contrib import admin, messages
from django.db.models import Count, F, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, reverse
from django.utils import timezone

from crowd.pictures.admin.pool_parts import file_url
from crowd.whoops import domain
from crowd.whoops.annotate.services.annotation_decisions import (
    LONGEST_WHY,
    REASONS,
    UNDO_FOR,
    count_annotation,
    drop_annotation,
    held_back,
    last_decided,
    undo_decision,
)
from crowd.whoops.models import Annotation, Image, Project
from crowd.whoops.models.annotations import TAKEN_OUT
from hits.admin.page_parts import read_number
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.admin.projects.project_page import ProjectPages
from hits.admin.selection import PAGE, page_of, signed_in
from hits.core.domain.counted_nouns import plural
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

LOOK = "whoops.view_annotation"
DECIDE = "whoops.decide_annotation"
State = Annotation.State
SHOWN = {
    "": ("All images", Q()),
    "lacking": ("Annotations are missing", Q(annotated__lt=F("project__annotations_wanted"))),
    "complete": ("All annotations are there", Q(annotated__gte=F("project__annotations_wanted"))),
}


def annotation_urls(pages: ProjectPages[Any]) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/annotations/", images_view, "annotated"),
        pages.at("<int:pk>/annotations/image/<int:number>/", image_view, "annotated_image"),
        pages.at("<int:pk>/annotations/held/", held_view, "held"),
        pages.at("<int:pk>/annotations/held/undo/", undo_view, "held_undo"),
        pages.at("<int:pk>/annotations/<int:row>/decide/", decide_view, "annotation_decide"),
    ]


def annotation_card(project: Project, user: User) -> Card:
    images = project.images.filter(state=Image.State.ACCEPTED)
    wanted = project.annotations_wanted
    counted = images.aggregate(
        all=Count("pk"),
        complete=Count("pk", filter=Q(annotated__gte=wanted)),
    )
    rows = Annotation.objects.filter(image__project=project)
    states = dict(rows.order_by().values_list("state").annotate(Count("pk")))
    held = states.get(State.HELD, 0)
    listed = f"{reverse('admin:whoops_annotation_changelist')}?image__project__id__exact={project.pk}"
    complete = Metric(
        name="Images with all their annotations",
        count=counted["complete"],
        of=counted["all"],
        url=_url(project, "annotated"),
    )
    return Card(
        key="annotation",
        title="Annotation",
        about="Workers write three texts about each accepted image: a caption, why it is strange, and an "
        f"underspecified caption. Each image gets {plural(wanted, 'annotation')}. Texts with coarse words "
        "are held back until a person has read them.",
        stage=complete,
        metrics=[
            complete,
            Metric(
                name="Annotations that count",
                count=states.get(State.COUNTED, 0),
                of=wanted * counted["all"],
                url=f"{listed}&state__exact={State.COUNTED}",
            ),
            Metric(
                name="Held back",
                count=held,
                url=_url(project, "held") if held and user.has_perm(DECIDE) else "",
            ),
            Metric(
                name="Dropped",
                count=states.get(State.DROPPED, 0),
                url=f"{listed}&state__exact={State.DROPPED}",
            ),
        ],
        next=_next(held, may_decide=user.has_perm(DECIDE)),
        links=_ways(project, user, held=held),
        tasks=[domain.ANNOTATE],
    )


def held_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    """Show one held annotation after another. `after`: the last one that was shown or put off."""
    project = pages.find(request, pk, LOOK, DECIDE)
    rows, after = held_back(project), read_number(request.GET.get("after", "")) or 0
    return _show_held(pages, request, project, rows.filter(pk__gt=after).first() or rows.first())


def _show_held(
    pages: ProjectPages[Any],
    request: HttpRequest,
    project: Project,
    row: Annotation | None,
    *,
    why: str = "",
) -> HttpResponse:
    context = {
        "title": "Annotations that are held back",
        "row": row,
        "picture_url": file_url(row.image.picture, 480) if row else "",
        "texts": texts_of(row) if row else (),
        "filters": filters_in_words(row) if row else "",
        "why": why,
        "held": held_back(project).count(),
        "undo": last_decided(project=project, by=signed_in(request), now=timezone.now()),
        "minutes": int(UNDO_FOR.total_seconds()) // 60,
        "reasons": list(enumerate(REASONS, start=1)),
        "longest": LONGEST_WHY,
    }
    return pages.render(request, "admin/whoops/held.html", context, project=project)


def decide_view(pages: ProjectPages[Any], request: HttpRequest, pk: int, row: int) -> HttpResponse:
    """Decide, and go on to the next one of the queue, or back to the annotation's own page."""
    project = pages.find(request, pk, LOOK, DECIDE)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    found = get_object_or_404(_annotations(project), pk=row)
    try:
        done = _decide(request, found)
    except RuleBroken as refusal:
        messages.error(request, str(refusal))
        if why := request.POST.get("why", ""):  # what was typed stays
            return _show_again(pages, request, project, found, why=why)
    else:
        pages.log_change(
            request, project, f"Annotation {found.pk} of {found.image}: {done} {found.why}".strip()
        )
        messages.success(request, f"{found.image}. {done}")
    if request.POST.get("back") == "held":
        return redirect(f"{_url(project, 'held')}?after={found.pk}")
    return redirect("admin:whoops_annotation_change", found.pk)


def _show_again(
    pages: ProjectPages[Any], request: HttpRequest, project: Project, row: Annotation, *, why: str
) -> HttpResponse:
    """Show the page that a decision came from: the queue, if nobody else has decided, or the row's own."""
    if request.POST.get("back") == "held" and (held := held_back(project).filter(pk=row.pk).first()):
        return _show_held(pages, request, project, held, why=why)
    own = cast("admin.ModelAdmin[Annotation]", admin.site.get_model_admin(Annotation))
    return own.change_view(request, str(row.pk), extra_context={"why": why})


def _decide(request: HttpRequest, row: Annotation) -> str:
    """Decide, and return in words what was done. Raises RuleBroken."""
    by, now, seen = signed_in(request), timezone.now(), request.POST.get("seen", "")
    verdict, why = request.POST.get("verdict"), request.POST.get("why", "")
    if verdict == "count":
        count_annotation(annotation=row, seen=seen, by=by, now=now)
        return "It counts."
    if verdict == "drop":
        drop_annotation(annotation=row, seen=seen, why=why, by=by, now=now)
        return "Dropped: another worker is asked."
    raise Http404


def undo_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk, LOOK, DECIDE)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    try:
        undone = undo_decision(project=project, by=signed_in(request), now=timezone.now())
    except RuleBroken as refusal:
        messages.error(request, str(refusal))
        return redirect(_url(project, "held"))
    pages.log_change(request, project, f"Annotation {undone.pk} of {undone.image}: held back again.")
    messages.success(request, f"Undone: the annotation of {undone.image} is before you again.")
    return redirect(f"{_url(project, 'held')}?after={undone.pk - 1}")


def images_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    """List images that are or were annotated, by number."""
    project = pages.find(request, pk, LOOK)
    shown = request.GET.get("show", "")
    shown = shown if shown in SHOWN else ""
    number = read_number(request.GET.get("number", "").strip())
    rows = _annotated_images(project).filter(SHOWN[shown][1])
    if number is not None:
        rows = rows.filter(number=number)
    total = rows.count()
    page = page_of(rows, number=request.GET.get("page"), total=total)
    for image in page.object_list:
        image.picture_url = file_url(image.picture, 160)
    context = {
        "title": "Annotations by image",
        "page": page,
        "total": total,
        "size": PAGE,
        "choices": [(key, words) for key, (words, _) in SHOWN.items()],
        "shown": shown,
        "number": request.GET.get("number", ""),
        "is_narrowed": bool(shown or number is not None),
    }
    return pages.render(request, "admin/whoops/annotated.html", context, project=project)


def image_view(pages: ProjectPages[Any], request: HttpRequest, pk: int, number: int) -> HttpResponse:
    project = pages.find(request, pk, LOOK)
    image = get_object_or_404(project.images.select_related("picture", "annotation_item"), number=number)
    rows = _annotations(project).filter(image=image).order_by("pk")
    context = {
        "title": f"Annotations of {str(image).lower()}",
        "image": image,
        "picture_url": file_url(image.picture, 480),
        "rows": [{"row": row, "texts": texts_of(row)} for row in rows],
    }
    return pages.render(request, "admin/whoops/annotated_image.html", context, project=project)


def texts_of(row: Annotation) -> Sequence[tuple[str, str, list[tuple[str, str]]]]:
    """The three texts, each with its name, and the words that it is held back for with who found them."""
    names = {"caption": "Caption", "explanation": "Explanation", "underspecified": "Underspecified caption"}
    flags = [flag.partition(": ") for flag in row.flags]
    found = _found_by(row)
    return [
        (
            name,
            getattr(row, entry),
            [(word, found.get((entry, word), "")) for of, _, word in flags if of == entry],
        )
        for entry, name in names.items()
    ]


def filters_in_words(row: Annotation) -> str:
    """The filters that have read it, with their versions; those of an earlier version are not known."""
    return ", ".join(f"{one['name']} {one['version']}" for one in row.filtered_by) or "Word list"


def _found_by(row: Annotation) -> dict[tuple[str, str], str]:
    """What a filter takes each word for, by its text and the word; nothing where that is the word itself."""
    return {
        (one["text"], one["written"]): f"{verdict['name'].lower()}: {one['stands_for']}"
        for verdict in row.filtered_by
        for one in verdict["found"]
        if one["stands_for"] != one["written"]
    }


def may_be_decided(row: Annotation) -> bool:
    return not (row.state == State.DROPPED and row.why == TAKEN_OUT)


def _annotations(project: Project) -> QuerySet[Annotation]:
    rows = Annotation.objects.filter(image__project=project)
    return rows.select_related("image__picture", "worker", "decided_by").defer("worker__external_id")


def _annotated_images(project: Project) -> QuerySet[Image]:
    rows = project.images.filter(Q(state=Image.State.ACCEPTED) | Q(annotation_item__isnull=False))
    by_state = {
        f"{state.value}_ones": Count("annotations", filter=Q(annotations__state=state)) for state in State
    }
    return rows.select_related("picture").annotate(**by_state).order_by("number")


def _next(held: int, *, may_decide: bool) -> str:
    if not held or not may_decide:
        return ""
    return (
        f"{held} annotation{' is' if held == 1 else 's are'} held back: read {'it' if held == 1 else 'them'}."
    )


def _ways(project: Project, user: User, *, held: int) -> list[CardLink]:
    if not user.has_perm(LOOK):
        return []
    listed = f"{reverse('admin:whoops_annotation_changelist')}?image__project__id__exact={project.pk}"
    ways = [
        CardLink(name="By image", url=_url(project, "annotated")),
        CardLink(name="All annotations", url=listed),
    ]
    if user.has_perm(DECIDE):
        ways.insert(0, CardLink(name="Held back", url=_url(project, "held"), is_first=bool(held)))
    return ways


def _url(project: Project, name: str) -> str:
    return reverse(f"admin:whoops_{name}", args=[project.pk])
