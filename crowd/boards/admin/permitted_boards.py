"""Boards, invitations and submissions that a user may look at: those of their own studies."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse

from crowd.boards.models import Board, Invitation, Submission
from crowd.releases.admin.permitted_rows import find_release
from crowd.releases.admin.release_actions import beside

LOOK, CHANGE, OPEN = "boards.view_board", "boards.change_board", "boards.open_board"
INVITE, CHANGE_LINK = "boards.add_invitation", "boards.change_invitation"
DECIDE = "boards.change_submission"


def find_board(request: HttpRequest, pk: int, *permissions: str) -> Board:
    board = get_object_or_404(Board.objects.select_related("release__study"), pk=pk)
    find_release(request, board.release_id, LOOK, *permissions)
    return board


def find_invitation(request: HttpRequest, pk: int, *permissions: str) -> Invitation:
    rows = Invitation.objects.select_related("board__release__study", "made_by")
    invitation = get_object_or_404(rows, pk=pk)
    find_release(request, invitation.board.release_id, LOOK, *permissions)
    return invitation


def find_submission(request: HttpRequest, pk: int, *permissions: str) -> Submission:
    rows = Submission.objects.select_related(
        "invitation__board__release__study", "result__benchmark__release__study", "decided_by"
    )
    submission = get_object_or_404(rows, pk=pk)
    find_release(request, submission.invitation.board.release_id, LOOK, *permissions)
    return submission


def page_of(board: Board) -> str:
    return reverse("admin:boards_board", args=[board.pk])


def page_of_invitation(invitation: Invitation) -> str:
    return reverse("admin:boards_invitation", args=[invitation.pk])


def page_of_submission(submission: Submission) -> str:
    return reverse("admin:boards_submission", args=[submission.pk])


def around(board: Board, *further: tuple[str, str]) -> Mapping[str, Any]:
    """Return what every page about a board shows around its own part."""
    shared = beside(board.release)
    return {**shared, "trail": [*shared["trail"], ("Public page", page_of(board)), *further]}
