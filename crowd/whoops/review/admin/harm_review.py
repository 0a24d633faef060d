"""The check for harm: its progress, and the page on which a reviewer looks at one image after another."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, reverse
from django.utils import timezone

from crowd.pictures.admin.pool_parts import file_url
from crowd.whoops.images.admin.addresses import by_post, images_url, page_url
from crowd.whoops.images.queries.images import waiting_for_decision
from crowd.whoops.images.queries.staff_permissions import staff_with
from crowd.whoops.models import Image, Project
from crowd.whoops.review.services import harm_review
from hits.admin.page_parts import read_number
from hits.admin.projects.project_cards import Card, CardLink, Metric
from hits.admin.projects.project_page import ProjectPages
from hits.admin.selection import signed_in
from hits.common.count_together import count_together
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

CHECK = "whoops.review_image"
DECIDE = "whoops.decide_image"
State = Image.State
VERDICTS = {"harmless": False, "harmful": True}


def review_urls(pages: ProjectPages[Any]) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/review/", review_view, "review"),
        pages.at("<int:pk>/review/give/", by_post(give_view), "review_give"),
        pages.at("<int:pk>/review/undo/", by_post(undo_view), "review_undo"),
    ]


def reviews_card(project: Project, user: User) -> Card:
    may_check = user.has_perm(CHECK)
    counts = count_together(
        review=project.images.filter(state=State.REVIEW),
        accepted=project.images.filter(state=State.ACCEPTED),
        refused=project.images.filter(state=State.REFUSED),
        decisions=waiting_for_decision(project),
        own=harm_review.waiting_images(project, by=user) if may_check else project.images.none(),
        reviewers=staff_with(CHECK, study=project.study),
    )
    own, decisions = counts["own"], counts["decisions"]
    decide_url = images_url(project, waits="decision")
    may_decide = user.has_perm(DECIDE)
    # A person still to review one of them must not learn that others object to it.
    told = Metric(name="Images that wait for a decision", count=decisions, url=decide_url)
    ways = [CardLink(name="Review…", url=page_url("review", project), is_first=bool(own), permission=CHECK)]
    if decisions:
        oldest = waiting_for_decision(project).order_by("number").values_list("pk", flat=True).first()
        url = reverse("admin:whoops_image_change", args=[oldest]) if oldest else decide_url
        ways.append(CardLink(name="Decide…", url=url, is_first=not own, permission=DECIDE))
    return Card(
        key="reviews",
        title="Reviews",
        about=f"{project.reviews_wanted} reviewers look at each image, and none sees the others' words. If "
        "nobody finds harm in it, it is accepted; else a researcher decides.",
        metrics=[
            Metric(
                name="With the reviewers",
                count=counts["review"],
                url=images_url(project, state=State.REVIEW),
            ),
            Metric(name="Images that wait for your review", count=own),
            *([told] if may_decide else []),
            Metric(name="Accepted", count=counts["accepted"], url=images_url(project, state=State.ACCEPTED)),
            Metric(name="Refused", count=counts["refused"], url=images_url(project, state=State.REFUSED)),
        ],
        links=ways,
        next=_next(own=own, decisions=decisions if may_decide else 0),
        problems=_problems(project, reviewers=counts["reviewers"]),
    )


def review_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk, CHECK)
    return _show(pages, request, project, asked=request.GET.get("image", ""))


def give_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    """Record the review, and go on to the next image."""
    project = pages.find(request, pk, CHECK)
    image = get_object_or_404(project.images, pk=read_number(request.POST.get("image", "")))
    note, verdict = request.POST.get("note", ""), request.POST.get("verdict", "")
    try:
        if verdict not in VERDICTS:
            raise RuleBroken("no_verdict", "Say whether it could hurt somebody.")
        state = harm_review.give_review(
            image=image,
            revision=read_number(request.POST.get("revision", "")) or 0,
            is_harmful=VERDICTS[verdict],
            note=note,
            by=signed_in(request),
            now=timezone.now(),
        )
    except RuleBroken as broken:
        messages.error(request, str(broken))
        return _show(pages, request, project, asked=str(image.pk), note=note, status=409)
    if state == State.ACCEPTED:
        messages.success(request, f"{image} is accepted: nobody found harm in it.")
    return redirect(page_url("review", project))


def undo_view(pages: ProjectPages[Any], request: HttpRequest, pk: int) -> HttpResponse:
    project = pages.find(request, pk, CHECK)
    try:
        image = harm_review.undo_review(project=project, by=signed_in(request), now=timezone.now())
    except RuleBroken as broken:
        messages.error(request, str(broken))
        return redirect(page_url("review", project))
    messages.success(request, f"Undone: {image} is before you again.")
    return redirect(f"{page_url('review', project)}?image={image.pk}")


def _show(
    pages: ProjectPages[Any],
    request: HttpRequest,
    project: Project,
    *,
    asked: str,
    note: str = "",
    status: int = 200,
) -> HttpResponse:
    """Show the image asked for, if this person may review it, or else the oldest that waits for them."""
    user, now = signed_in(request), timezone.now()
    mine = harm_review.waiting_images(project, by=user)
    named = mine.filter(pk=read_number(asked) or 0).first()
    image = named or mine.first()
    context: dict[str, Any] = {
        "title": "Review for harm",
        "image": image,
        "waiting": mine.count(),
        "undo": harm_review.last_review(project=project, by=user, now=now),
        "undo_minutes": int(harm_review.UNDO_FOR.total_seconds()) // 60,
        "longest": harm_review.LONGEST_NOTE,
        "note": note if named else "",
    }
    if image:
        partners = image.partners.select_related("picture").order_by("kind")
        context["picture_url"] = file_url(image.picture)
        context["partners"] = [(one, file_url(one.picture)) for one in partners]
    response = pages.render(request, "admin/whoops/review.html", context, project=project)
    response.status_code = status
    return response


def _next(*, own: int, decisions: int) -> str:
    if own:
        return f"Review {own} image{'' if own == 1 else 's'} for harm."
    if decisions:
        return f"Decide on {decisions} image{'' if decisions == 1 else 's'}: somebody finds harm in them."
    return ""


def _problems(project: Project, *, reviewers: int) -> list[str]:
    wanted = project.reviews_wanted
    if reviewers >= wanted:
        return []
    people = "1 person of this study has" if reviewers == 1 else f"{reviewers} people of this study have"
    told = f"Each image needs {wanted} reviewers, and {people} the permission."
    return [f"{told} Make more people members of the study, as reviewers, or ask for fewer in the settings."]
