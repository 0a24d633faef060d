"""The public page of a release: made, set up, opened and closed; and who may submit there."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from crowd.benchmarks import benchmark_tasks
from crowd.benchmarks.services.benchmark_results import open_benchmark
from crowd.boards.models import Board, Invitation
from crowd.releases.models import Release
from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.core.signed_links import DAYS, link_end
from hits.identity.models.users import User


def board_of(release: Release) -> Board:
    """Return the board of a release, closed at first. Raises RuleBroken unless that is published."""
    if release.status != Release.Status.RELEASED:
        raise RuleBroken("not_published", "Only a published release has a page for the public.")
    return Board.objects.get_or_create(release=release)[0]


def change_board(*, board: Board, values: Mapping[str, Any], by: User, now: datetime) -> None:
    """Change the settings that are named."""
    with transaction.atomic():
        Board.objects.filter(pk=board.pk).update(**values)
        _note(board, "board.changed", "The settings of the public page were changed", by=by, now=now)
    board.refresh_from_db()


def open_board(*, board: Board, by: User, now: datetime) -> None:
    """Open the page to everybody, with a table of models for each task of the release."""
    release = board.release
    with transaction.atomic():
        opened = Board.objects.filter(pk=board.pk, is_open=False)
        if not opened.update(is_open=True, opened_at=now, opened_by=by):
            raise RuleBroken("open_already", "The page is open already.")
        for task in benchmark_tasks.tasks_for(release):
            open_benchmark(release=release, task=task, now=now)
        _note(board, "board.opened", "The public page was opened", by=by, now=now)
    board.refresh_from_db()


def close_board(*, board: Board, by: User, now: datetime) -> None:
    """Close the page at once. Links of invitations open nothing while it is closed."""
    with transaction.atomic():
        if not Board.objects.filter(pk=board.pk, is_open=True).update(is_open=False):
            raise RuleBroken("closed_already", "The page is closed already.")
        _note(board, "board.closed", "The public page was closed", by=by, now=now)
    board.refresh_from_db()


def invite(*, board: Board, name: str, by: User, now: datetime, days: int = DAYS) -> Invitation:
    """Invite somebody to submit models. Raises RuleBroken, and then nobody is invited."""
    name, until = " ".join(name.split()), link_end(days=days, now=now)
    try:
        with transaction.atomic():
            made = Invitation.objects.create(
                board=board, name=name, link_until=until, made_at=now, made_by=by
            )
            _note(board, "board.invited", "Somebody was invited to submit models", by=by, now=now)
    except IntegrityError:
        raise RuleBroken("name_taken", "There is an invitation of this name. Choose another.") from None
    return made


def end_link(*, invitation: Invitation, now: datetime) -> None:
    """End the link at once. What was submitted stays."""
    Invitation.objects.filter(pk=invitation.pk, link_until__gt=now).update(link_until=now)
    invitation.refresh_from_db()


def count_download(board: Board) -> None:
    Board.objects.filter(pk=board.pk).update(downloads=F("downloads") + 1)


def _note(board: Board, event: str, words: str, *, by: User | None, now: datetime) -> None:
    release = board.release
    words = f"{words}: release {release.version}."
    audit_trail.note(event, words, by=by, now=now, study=release.study)
