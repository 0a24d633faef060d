"""The life of a submission. Asking twice for a state that is there already changes nothing."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state.entities import TAKING, Submission, SubmissionStatus
from crowd.marketplace.tools.prolific.state.prolific_world import World
from crowd.marketplace.tools.prolific.state.study_states import notice_change
from crowd.marketplace.tools.prolific.state.wallets import pay_reward

RESERVED_FOR = timedelta(minutes=10)
APPROVED_AFTER = timedelta(days=21)
LEAST_MESSAGE = 100
CATEGORIES = frozenset(
    {
        "TOO_QUICKLY",
        "TOO_SLOWLY",
        "FAILED_INSTRUCTIONS",
        "INCOMP_LONGITUDINAL",
        "FAILED_CHECK",
        "LOW_EFFORT",
        "MALINGERING",
        "NO_CODE",
        "BAD_CODE",
        "NO_DATA",
        "UNSUPP_DEVICE",
        "OTHER",
    }
)
# From which status a submission may come to another. What is APPROVED stays so.
ALLOWED_FROM: Mapping[SubmissionStatus, frozenset[str]] = {
    "ACTIVE": frozenset({"RESERVED", "RETURNED"}),
    "TIMED-OUT": frozenset({"RESERVED", "ACTIVE"}),
    "PROCESSING": frozenset({"ACTIVE", "TIMED-OUT"}),
    "AWAITING REVIEW": frozenset({"ACTIVE", "TIMED-OUT", "PROCESSING", "REJECTED", "RETURNED"}),
    "APPROVED": frozenset({"AWAITING REVIEW", "TIMED-OUT"}),
    "PARTIALLY APPROVED": frozenset({"ACTIVE", "AWAITING REVIEW"}),
    "REJECTED": frozenset({"AWAITING REVIEW"}),
    "RETURNED": frozenset({"RESERVED", "ACTIVE", "AWAITING REVIEW"}),
    "SCREENED OUT": frozenset({"ACTIVE", "AWAITING REVIEW"}),
}


def move(world: World, submission: Submission, to: SubmissionStatus, now: datetime) -> bool:
    """Bring it there and tell the study and the hooks; False if it is there already. Raises Refused."""
    if submission.status == to:
        return False
    if submission.status not in ALLOWED_FROM.get(to, frozenset()):
        raise Refused(400, f"A submission that is {submission.status} can't become {to}.")
    was_taking = submission.status in TAKING
    submission.status = to
    announce_submission(world, submission, now)
    notice_change(world, submission.study, was_taking=was_taking, is_taking=to in TAKING, now=now)
    return True


def announce_submission(world: World, submission: Submission, now: datetime) -> None:
    world.hooks.announce(
        workspace=submission.study.workspace,
        event_type="submission.status.change",
        now=now,
        resource_id=submission.id,
        participant_id=submission.participant.id,
        status=submission.status,
    )


def start(world: World, submission: Submission, now: datetime) -> None:
    """Open the study: the time that is allowed begins."""
    if not move(world, submission, "ACTIVE", now):
        return
    submission.started_at = now
    world.agenda.add(now + _allowed(submission), lambda at: _time_out(world, submission, at))


def expect_start(world: World, submission: Submission, now: datetime) -> None:
    world.agenda.add(now + RESERVED_FOR, lambda at: _lose_place(world, submission, at))


def submit(world: World, submission: Submission, code: str, now: datetime) -> None:
    """Finish with this code, in time or late. Raises Refused if it is finished."""
    if submission.status not in ("ACTIVE", "TIMED-OUT"):
        raise Refused(400, f"A submission that is {submission.status} can't be finished.")
    submission.entered_code = code
    submission.completed_at = now
    if world.habits.processing_s:
        move(world, submission, "PROCESSING", now)
    else:
        await_review(world, submission, now)


def await_review(world: World, submission: Submission, now: datetime) -> None:
    """Wait for a decision, or for the day when there was none."""
    move(world, submission, "AWAITING REVIEW", now)
    world.agenda.add(now + APPROVED_AFTER, lambda at: _approve_unreviewed(world, submission, at))


def approve(world: World, submission: Submission, now: datetime) -> None:
    if move(world, submission, "APPROVED", now):
        pay_reward(world, submission, kind="reward", cents=submission.study.reward, now=now)


def approve_partially(world: World, submission: Submission, *, percentage: int, now: datetime) -> None:
    cents = submission.study.reward * percentage // 100
    if move(world, submission, "PARTIALLY APPROVED", now):
        pay_reward(world, submission, kind="partial", cents=cents, now=now)


def screen_out(world: World, submission: Submission, *, cents: int, now: datetime) -> None:
    if move(world, submission, "SCREENED OUT", now) and cents:
        pay_reward(world, submission, kind="screen_out", cents=cents, now=now)


def reject(world: World, submission: Submission, *, message: str, category: str, now: datetime) -> None:
    """Raises Refused without a message of 100 characters or more and a known category."""
    problems: dict[str, list[str]] = {}
    if len(message) < LEAST_MESSAGE:
        problems["message"] = [f"Ensure this field has at least {LEAST_MESSAGE} characters."]
    if category not in CATEGORIES:
        problems["rejection_category"] = [f"One of {', '.join(sorted(CATEGORIES))} is required."]
    if problems:
        raise Refused(400, problems)
    if move(world, submission, "REJECTED", now):
        submission.rejection = {"message": message, "rejection_category": category}


def unreject(world: World, submission: Submission, now: datetime) -> None:
    if submission.status == "AWAITING REVIEW":
        return
    _require(submission, "REJECTED")
    await_review(world, submission, now)
    submission.rejection = None


def unreturn(world: World, submission: Submission, now: datetime) -> None:
    """Undo a return: finished work awaits review again, other work goes on."""
    is_finished = submission.completed_at is not None
    if submission.status == ("AWAITING REVIEW" if is_finished else "ACTIVE"):
        return
    _require(submission, "RETURNED")
    if is_finished:
        await_review(world, submission, now)
    else:
        start(world, submission, now)


def _require(submission: Submission, status: SubmissionStatus) -> None:
    if submission.status != status:
        raise Refused(400, f"This needs a submission that is {status}, and it is {submission.status}.")


def _allowed(submission: Submission) -> timedelta:
    return timedelta(minutes=submission.study.fields["maximum_allowed_time"])


def _time_out(world: World, submission: Submission, now: datetime) -> None:
    """Work that was returned and goes on has begun anew, and has its whole time again."""
    if submission.status == "ACTIVE" and now - submission.started_at >= _allowed(submission):
        move(world, submission, "TIMED-OUT", now)


def _lose_place(world: World, submission: Submission, now: datetime) -> None:
    if submission.status == "RESERVED":
        move(world, submission, "TIMED-OUT", now)


def _approve_unreviewed(world: World, submission: Submission, now: datetime) -> None:
    is_due = submission.completed_at is not None and now - submission.completed_at >= APPROVED_AFTER
    if submission.status == "AWAITING REVIEW" and is_due:
        approve(world, submission, now)
