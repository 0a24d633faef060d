"""The control group: its progress, and the page on which staff compare what it saw with what was meant."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern
from django.utils import timezone

from crowd.pictures.admin.pool_parts import file_url
from crowd.whoops import domain
from crowd.whoops.control.services import comparison
from crowd.whoops.images.admin.addresses import by_post, images_url, page_url
from crowd.whoops.models import Image, Project
from crowd.whoops.models.control_and_review import ControlAnswer
from hits.admin.page_parts import read_number
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.admin.projects.project_page import ProjectPages
from hits.admin.selection import signed_in
from hits.common.count_together import count_together
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

CHECK = "whoops.review_image"
State = Image.State


def control_urls(pages: ProjectPages[Any]) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/compare/", compare_view, "compare"),
        pages.at("<int:pk>/compare/decide/", by_post(decide_view), "compare_decide"),
        pages.at("<int:pk>/compare/undo/", by_post(undo_view), "compare_undo"),
    ]


def control_card(project: Project, user: User) -> Card:
    counts = count_together(
        control=project.images.filter(state=State.CONTROL),
        returned=project.images.filter(state=State.RETURNED),
        undecided=comparison.undecided_control_answers(project),
    )
    undecided = counts["undecided"]
    answers = f"{undecided} answer{'' if undecided == 1 else 's'}"
    return Card(
        key="control",
        title="Control group",
        about=f"{project.control_wanted} people look at each image and are told nothing about it. Once "
        f"{project.control_needed} of them have seen what is weird, it goes on; else it goes back.",
        metrics=[
            Metric(
                name="With the control group",
                count=counts["control"],
                url=images_url(project, state=State.CONTROL),
            ),
            Metric(name="Answers to compare", count=undecided),
            Metric(
                name="Back with designers",
                count=counts["returned"],
                url=images_url(project, state=State.RETURNED),
            ),
        ],
        links=[
            CardLink(
                name="Compare…",
                url=page_url("compare", project),
                is_first=bool(undecided),
                permission=CHECK,
            )
        ],
        next=f"Compare {answers} with what the designers meant."
        if undecided and user.has_perm(CHECK)
        else "",
        tasks=[domain.CONTROL],
    )


def compare_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    """Show an answer. Opening the page leases it for some minutes, so that no colleague gets the same."""
    project = pages.find(request, pk, CHECK)
    user, now = signed_in(request), timezone.now()
    control_answer = comparison.claim_control_answer(project=project, by=user, now=now)
    context: dict[str, Any] = {
        "title": "Compare what was seen",
        "control_answer": control_answer,
        "waiting": comparison.undecided_control_answers(project).count(),
        "undo": comparison.last_decided(project=project, by=user, now=now),
        "minutes": int(comparison.LEASE.total_seconds()) // 60,
        "undo_minutes": int(comparison.UNDO_FOR.total_seconds()) // 60,
        "longest": comparison.LONGEST_NOTE,
    }
    if control_answer:
        context["image"] = control_answer.image
        context["picture_url"] = file_url(control_answer.image.picture)
    return pages.render(request, "admin/whoops/compare.html", context, project=project)


def decide_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    """Decide about the answer, and go on to the next one."""
    project = pages.find(request, pk, CHECK)
    user, now = signed_in(request), timezone.now()
    rows = ControlAnswer.objects.filter(image__project=project).select_related("image")
    control_answer = get_object_or_404(rows, pk=read_number(request.POST.get("control_answer", "")))
    verdict, note = request.POST.get("verdict", ""), request.POST.get("note", "")
    try:
        if verdict == "leave":
            comparison.leave_control_answer(control_answer=control_answer, by=user, now=now)
        elif verdict in ("seen", "missed"):
            comparison.decide_control_answer(
                control_answer=control_answer, seen=verdict == "seen", note=note, by=user, now=now
            )
            _tell(request, control_answer.image)
        else:
            messages.error(request, "Say whether it is the same.")
    except RuleBroken as broken:
        messages.error(request, str(broken))
    return redirect(page_url("compare", project))


def undo_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk, CHECK)
    try:
        control_answer = comparison.undo_decision(project=project, by=signed_in(request), now=timezone.now())
    except RuleBroken as broken:
        messages.error(request, str(broken))
    else:
        messages.success(request, f"Undone: “{control_answer}” is before you again.")
    return redirect(page_url("compare", project))


def _tell(request: HttpRequest, image: Image) -> None:
    image.refresh_from_db(fields=["state"])
    if image.state == State.REVIEW:
        messages.success(request, f"{image}: the control group has seen it. It goes to the reviewers.")
    elif image.state == State.RETURNED:
        messages.success(request, f"{image}: too few have seen it. It goes back to its designer.")
