"""Asking workers: about which examples, how far it is, and how many workers it takes."""

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.utils import timezone

from crowd.winoground.asking.examples_policy import people_in_words
from crowd.winoground.domain import PLACES, VALIDATE
from crowd.winoground.models import Example, Project
from crowd.winoground.queries.asking_progress import AskingProgress, asking_of
from crowd.winoground.queries.qualified import gates_before, workers_qualified
from crowd.winoground.services.posted_examples import ask_examples
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.admin.projects.project_page import ProjectPages
from hits.core.domain.typed_text import read_uuid
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.studies.models import Batch

Pages = ProjectPages[Any]
MOST_SHOWN = 200
RUNNING = (Batch.Status.LAUNCHING, Batch.Status.OPEN, Batch.Status.PAUSED, Batch.Status.DRAINING)


def urls(pages: Pages) -> list[URLPattern]:
    return [pages.at("<int:pk>/ask/", ask_view, "ask")]


def asking_card(project: Project, user: User) -> Card:
    asking = asking_of(project)
    ask = CardLink(
        name="Ask about examples…",
        url=reverse("admin:winoground_ask", args=[project.pk]),
        is_first=True,
        permission="winoground.change_project",
    )
    answers = Metric(name="Answers", count=asking.answers, of=asking.wanted)
    return Card(
        key="asking",
        title="Asking workers",
        about="Of each example every caption is shown with every image, and workers say whether they match.",
        stage=answers,
        metrics=[
            Metric(name="Examples asked about", count=asking.asked, of=asking.asked + asking.ready),
            Metric(name="Questions: a caption with an image", count=asking.pairings),
            answers,
            Metric(name="Workers who have answered", count=asking.workers),
        ],
        links=[ask] if asking.ready else [],
        next=_next(project, asking),
        problems=list(_problems(project, asking)),
        tasks=(VALIDATE,),
    )


def ask_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    """Show the examples that can be asked about, and what that brings; a POST asks about those ticked."""
    project = pages.find(request, pk, pages.permission("change"))
    if request.method == "POST":
        return _ask(pages, request, project)
    ready = project.examples.filter(state=Example.State.READY).select_related("image_0", "image_1", "author")
    count = ready.count()
    context = {
        "title": "Ask about examples",
        "examples": ready.order_by("number")[:MOST_SHOWN],
        "count": count,
        "each": project.answers_wanted * len(PLACES),
        "most": MOST_SHOWN,
        "people": people_in_words(project, qualified=workers_qualified(gates_before(project))),
    }
    return pages.render(request, "admin/winoground/ask.html", context, project=project)


def _ask(pages: Pages, request: HttpRequest, project: Project) -> HttpResponse:
    chosen = {key for text in request.POST.getlist("example")[:MOST_SHOWN] if (key := read_uuid(text))}
    keys = project.examples.filter(public_id__in=chosen).values_list("pk", flat=True)
    if not chosen:
        messages.warning(request, "Nothing was ticked, and nothing was changed.")
        return redirect(pages.address(project, "ask"))
    try:
        count = ask_examples(project=project, examples=list(keys), now=timezone.now())
    except RuleBroken as refusal:
        messages.error(request, str(refusal))
        return redirect(pages.address(project, "ask"))
    pages.log_change(request, project, f"Asked about {count} examples.")
    messages.success(
        request,
        f"Examples asked about: {count}. Their {count * len(PLACES)} questions reach workers by a "
        "batch that you launch below.",
    )
    return redirect(pages.address(project))


def _next(project: Project, asking: AskingProgress) -> str:
    if asking.ready:
        return f"Ask about the examples that are ready: {asking.ready}."
    if asking.answers < asking.wanted and not _runs(project):
        return f"Launch a batch: {asking.wanted - asking.answers} answers are wanted."
    return ""


def _runs(project: Project) -> bool:
    return Batch.objects.filter(study=project.study_id, task=VALIDATE, status__in=RUNNING).exists()


def _problems(project: Project, asking: AskingProgress) -> Iterator[str]:
    if asking.away:
        yield (
            f"Questions that are asked of nobody, because their image was taken away: {asking.away}. "
            "Nobody new answers them unless it comes back."
        )
    if asking.answers >= asking.wanted:
        return
    qualified = workers_qualified(gates_before(project))
    if qualified is not None and (words := people_in_words(project, qualified=qualified)):
        yield words
