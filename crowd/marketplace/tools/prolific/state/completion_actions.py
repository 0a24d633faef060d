"""What a completion code does, whoever enters it: the participant at the end, or the researcher."""

from datetime import datetime, timedelta

from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state.entities import Json, Submission
from crowd.marketplace.tools.prolific.state.prolific_world import World
from crowd.marketplace.tools.prolific.state.study_rules import action_of, actions_of, code_of
from crowd.marketplace.tools.prolific.state.study_states import pause_when_used_up
from crowd.marketplace.tools.prolific.state.submission_states import (
    approve,
    approve_partially,
    await_review,
    screen_out,
    submit,
)
from crowd.marketplace.tools.prolific.state.wallets import slots_left

NO_CODE = "NOCODE"
UNDECIDED = frozenset({"ACTIVE", "TIMED-OUT", "AWAITING REVIEW"})
LEAST_PERCENTAGE, MOST_PERCENTAGE = 8, 99


def finish(world: World, submission: Submission, entered: str, now: datetime) -> None:
    """Finish as the participant. A code that the study does not have does nothing but await review."""
    code = code_of(submission.study, entered)
    submit(world, submission, entered or NO_CODE, now)
    if code is not None and code.get("actor", "participant") != "participant":
        code = None
    if submission.status == "PROCESSING":
        ready_at = now + timedelta(seconds=world.habits.processing_s)
        world.agenda.add(ready_at, lambda at: _end_processing(world, submission, code, at))
    elif code is not None:
        _act(world, submission, code, now)


def complete(world: World, submission: Submission, entered: str, *, percentage: int | None) -> None:
    """Finish as the researcher, by a code that is the researcher's. Raises Refused."""
    now = world.now()
    code = code_of(submission.study, entered)
    if code is None or code.get("actor") != "researcher":
        raise Refused(400, {"completion_code": ["The study has no such code whose actor is the researcher."]})
    is_dynamic = action_of(code, "DYNAMIC_PAYMENT") is not None
    if is_dynamic and not LEAST_PERCENTAGE <= (percentage or 0) <= MOST_PERCENTAGE:
        raise Refused(400, {"completion_code_data": ["percentage_of_reward must be from 8 to 99."]})
    if submission.entered_code == entered and submission.status not in UNDECIDED:
        return
    if submission.status != "AWAITING REVIEW":
        submit(world, submission, entered, now)
    if submission.status == "PROCESSING":
        await_review(world, submission, now)
    submission.entered_code = entered
    _act(world, submission, code, now)
    if is_dynamic and percentage is not None:
        approve_partially(world, submission, percentage=percentage, now=now)


def _end_processing(world: World, submission: Submission, code: Json | None, now: datetime) -> None:
    await_review(world, submission, now)
    if code is not None:
        _act(world, submission, code, now)


def _act(world: World, submission: Submission, code: Json, now: datetime) -> None:
    for action in actions_of(code):
        _act_once(world, submission, code, action, now)


def _act_once(world: World, submission: Submission, code: Json, action: Json, now: datetime) -> None:
    kind = action["action"]
    if kind == "AUTOMATICALLY_APPROVE":
        approve(world, submission, now)
    elif kind in ("ADD_TO_PARTICIPANT_GROUP", "REMOVE_FROM_PARTICIPANT_GROUP"):
        _change_group(world, submission, action)
    elif kind == "REQUEST_RETURN":
        submission.return_reasons.append(action["return_reason"])
    elif kind == "FIXED_SCREEN_OUT_PAYMENT" and slots_left(submission.study, code) > 0:
        screen_out(world, submission, cents=action["fixed_screen_out_reward"], now=now)
        pause_when_used_up(world, submission.study, code, now)


def _change_group(world: World, submission: Submission, action: Json) -> None:
    group = world.groups.get(action["participant_group"])
    if group is None:
        return
    others = [one for one in group.participant_ids if one != submission.participant.id]
    added = [submission.participant.id] if action["action"].startswith("ADD") else []
    group.participant_ids = [*others, *added]
