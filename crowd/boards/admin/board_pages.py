"""The public page of a release in the admin: set up, opened, who is invited, and what they submitted."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.db.models import Count, Max, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from crowd.benchmarks.admin.result_actions import page_of_result
from crowd.benchmarks.services.benchmark_results import task_of
from crowd.boards.admin.board_actions import ADDRESSES, BOARDS, INVITATIONS, SUBMISSIONS
from crowd.boards.admin.permitted_boards import (
    CHANGE_LINK,
    DECIDE,
    LOOK,
    around,
    find_board,
    find_invitation,
    find_submission,
    page_of,
)
from crowd.boards.models import Board, Submission
from crowd.boards.queries.board_tables import visible_scores
from crowd.boards.services import board_links, board_states
from crowd.releases.admin import release_parts
from crowd.releases.admin.permitted_rows import find_release
from crowd.releases.admin.release_actions import beside
from crowd.releases.admin.release_parts import ReleasePart
from crowd.releases.models import Release
from hits.admin.home import waiting
from hits.admin.home.waiting import Waiting
from hits.admin.page_parts import ReadOnlyAdmin
from hits.admin.selection import signed_in
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.work.access import studies_of

A_PAGE = 50
STATES = [("", "All"), *Submission.Status.choices]


@admin.register(Board)
class BoardAdmin(ReadOnlyAdmin[Board]):
    """Boards stand on the page of their release, and have no list of their own."""

    def get_model_perms(self, request: HttpRequest) -> dict[str, bool]:
        return {}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Board]:
        return super().get_queryset(request).filter(release__study__in=studies_of(request.user))

    def get_urls(self) -> list[URLPattern]:
        def at(address: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            return path(address, self.admin_site.admin_view(view), name=f"boards_{name}")

        return [
            at("of/<int:pk>/", open_view, "of"),
            at("<int:pk>/", partial(board_view, self), "board"),
            at("invitations/<int:pk>/", partial(invitation_view, self), "invitation"),
            at("submissions/<int:pk>/", partial(submission_view, self), "submission"),
            *(
                at(f"{below}<int:pk>/{key}/", pages.view(key), key)
                for below, pages in ADDRESSES
                for key in pages.actions
            ),
            *super().get_urls(),
        ]


def board_context(request: HttpRequest, release: Release) -> Mapping[str, Any]:
    """Return what the page of a release says about its public page."""
    if release.status != Release.Status.RELEASED or not request.user.has_perm(LOOK):
        return {"board_url": ""}
    board = Board.objects.filter(release=release).first()
    return {
        "board_url": reverse("admin:boards_of", args=[release.pk]),
        "board": board,
        "board_address": board_links.address_of_board(board) if board and board.is_open else "",
        "submissions_waiting": _waiting(board) if board else 0,
    }


release_parts.register("", ReleasePart(template="admin/boards/of_release.html", context=board_context))


def open_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Lead to the board of a release, which exists from the first look on."""
    release = find_release(request, pk, LOOK)
    try:
        return redirect(page_of(board_states.board_of(release)))
    except RuleBroken as refusal:
        messages.error(request, str(refusal))
        return redirect("admin:releases_release_change", release.pk)


def board_view(page: BoardAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    board = find_board(request, pk)
    wanted = request.GET.get("state", "")
    rows = Submission.objects.filter(invitation__board=board)
    shown = rows.filter(status=wanted) if wanted in Submission.Status.values else rows
    shown = shown.select_related("invitation", "result__benchmark__release")
    invitations = board.invitations.annotate(sent=Count("submissions"), last=Max("submissions__submitted_at"))
    context = {
        **beside(board.release),
        "title": "Public page",
        "board": board,
        "address": board_links.address_of_board(board),
        "waiting": _waiting(board),
        "offered": BOARDS.offered(board, user=signed_in(request)),
        "invitations": invitations,
        "states": STATES,
        "state": wanted,
        "page": Paginator(shown, A_PAGE).get_page(request.GET.get("page")),
        "any": rows.exists(),
        "now": timezone.now(),
    }
    return _render(page, request, "board", context)


def invitation_view(page: BoardAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    invitation = find_invitation(request, pk)
    may_change = request.user.has_perm(CHANGE_LINK)
    context = {
        **around(invitation.board),
        "title": f"Invitation of {invitation}",
        "invitation": invitation,
        "address": board_links.address_of(invitation) if may_change else "",
        "is_over": timezone.now() >= invitation.link_until,
        "offered": INVITATIONS.offered(invitation, user=signed_in(request)),
        "submissions": invitation.submissions.select_related("result__benchmark__release")[:A_PAGE],
    }
    return _render(page, request, "invitation", context)


def submission_view(page: BoardAdmin, request: HttpRequest, pk: int) -> HttpResponse:
    submission = find_submission(request, pk)
    context = {
        **around(submission.invitation.board),
        "title": str(submission),
        "submission": submission,
        "task": task_of(submission.result.benchmark),
        "scores": list(visible_scores(submission.result)),
        "result_url": page_of_result(submission.result),
        "offered": SUBMISSIONS.offered(submission, user=signed_in(request)),
    }
    return _render(page, request, "submission", context)


def _waiting(board: Board) -> int:
    return board.invitations.filter(submissions__status=Submission.Status.WAITING).count()


def _boards_waiting(user: User, now: datetime) -> Iterator[Waiting]:
    """Yield each board of the user's studies that has submissions to decide on."""
    boards = Board.objects.filter(release__study__in=studies_of(user)).select_related("release")
    waits = Q(invitations__submissions__status=Submission.Status.WAITING)
    for board in boards.annotate(count=Count("invitations__submissions", filter=waits)).filter(count__gt=0):
        to = f"submitted to {board.release}"
        yield Waiting(count=board.count, words=f"models {to}", one=f"model {to}", url=page_of(board))


waiting.register(_boards_waiting, permissions=[DECIDE])


def _render(page: BoardAdmin, request: HttpRequest, name: str, context: Mapping[str, Any]) -> HttpResponse:
    shared = {**page.admin_site.each_context(request), "opts": Release._meta}
    return TemplateResponse(request, f"admin/boards/{name}.html", {**shared, **context})
