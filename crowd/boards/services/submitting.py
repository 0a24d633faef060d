"""Submissions from outside: scored at once on what is visible, and listed when a researcher agrees."""

from datetime import datetime, timedelta
from functools import partial
from typing import BinaryIO
from uuid import UUID

import structlog
from django.db import IntegrityError, transaction

from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.services.answer_files import add_answers
from crowd.boards.models import Board, Invitation, Submission
from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.users import User

# Within so long, an invitation has its day's submissions.
A_DAY = timedelta(hours=24)
Status = Submission.Status
log = structlog.get_logger()


class SentBefore(RuleBroken):
    """The same form was sent before: its submission is there."""


def submit(
    *,
    invitation: Invitation,
    benchmark: Benchmark,
    key: UUID,
    name: str,
    about: str,
    file: BinaryIO,
    now: datetime,
) -> Submission:
    """Score a file and keep it, or keep nothing of it. The same key again is the same submission.

    Raises InvalidItems with every bad line, and RuleBroken where nothing can be submitted now.
    """
    check_open(invitation.board)
    if known := Submission.objects.filter(public_id=key, invitation=invitation).first():
        return known
    check_limit(invitation, now=now)
    try:
        result = add_answers(
            benchmark=benchmark,
            name=name,
            about=about,
            file=file,
            by=None,
            now=now,
            from_outside=True,
            stored=partial(_keep, invitation=invitation, key=key, now=now),
        )
    except SentBefore:
        return Submission.objects.get(public_id=key, invitation=invitation)
    log.info("board.submitted", result=str(result.public_id), items=result.answered)
    return result.submission


def check_open(board: Board) -> None:
    """Raises RuleBroken unless models can be submitted."""
    if not (board.is_open and board.takes_submissions):
        raise RuleBroken("closed", "Nothing can be submitted here at the moment.")


def left_today(invitation: Invitation, *, now: datetime) -> int:
    """Return how many submissions are left within the 24 hours."""
    sent = invitation.submissions.filter(submitted_at__gt=now - A_DAY).count()
    return max(0, invitation.board.daily_limit - sent)


def check_limit(invitation: Invitation, *, now: datetime) -> None:
    """Raises RuleBroken, with the time of the next one, once the day's submissions are sent."""
    limit = invitation.board.daily_limit
    sent = invitation.submissions.filter(submitted_at__gt=now - A_DAY).order_by("-submitted_at")
    times = list(sent.values_list("submitted_at", flat=True)[:limit])
    if len(times) >= limit:
        again = (times[-1] + A_DAY).strftime("%d %B, %H:%M UTC")
        raise RuleBroken("limit", f"{limit} of {limit} submissions are sent within 24 hours. Again: {again}.")


def agree(*, submission: Submission, name: str, by: User, now: datetime) -> None:
    """Put a submission on the board, under this name. Raises RuleBroken if the name is taken."""
    name = " ".join(name.split())
    if not name:
        raise RuleBroken("bad_name", "Give the model a name.")
    try:
        with transaction.atomic():
            if not move(submission, Status.LISTED, words="", decided_at=now, decided_by=by):
                raise RuleBroken("listed_already", "It is on the board already.")
            Result.objects.filter(pk=submission.result_id).update(name=name, is_listed=True)
            _note(submission, "board.agreed", f"{name} stands on the board", by=by, now=now)
    except IntegrityError:
        raise RuleBroken("name_taken", f"There is a {name} in the tables. Choose another name.") from None
    submission.result.refresh_from_db()


def decline(*, submission: Submission, words: str, by: User, now: datetime) -> None:
    """Keep a submission off the board, or take it off. Its submitter reads the words."""
    with transaction.atomic():
        if not move(submission, Status.DECLINED, words=words, decided_at=now, decided_by=by):
            raise RuleBroken("declined_already", "It is not on the board.")
        Result.objects.filter(pk=submission.result_id).update(is_listed=False)
        _note(submission, "board.declined", f"{submission} does not stand on the board", by=by, now=now)
    submission.result.refresh_from_db()


def _keep(result: Result, *, invitation: Invitation, key: UUID, now: datetime) -> None:
    """Keep the submission of a result, one at a time for each invitation, so that the limit holds."""
    locked = (
        Invitation.objects.select_for_update(no_key=True, of=("self",))
        .select_related("board")
        .get(pk=invitation.pk)
    )
    if known := Submission.objects.filter(public_id=key).first():
        if known.invitation_id != locked.pk:
            raise RuleBroken("used_form", "This form was used before. Open it again.")
        raise SentBefore("sent_before", "This was submitted before.")
    # Scoring takes a while, in which a researcher may have ended it all.
    check_open(locked.board)
    if locked.link_number != invitation.link_number or locked.link_until < invitation.link_until:
        raise RuleBroken("link_over", "The link has ended. Ask the person who invited you for a new one.")
    check_limit(locked, now=now)
    Submission.objects.create(public_id=key, invitation=invitation, result=result, submitted_at=now)
    _note(result.submission, "board.submitted", f"{result} was submitted from outside", by=None, now=now)


def _note(submission: Submission, event: str, words: str, *, by: User | None, now: datetime) -> None:
    release = submission.invitation.board.release
    words = f"{words}: release {release.version}."
    audit_trail.note(event, words, by=by, now=now, study=release.study)
