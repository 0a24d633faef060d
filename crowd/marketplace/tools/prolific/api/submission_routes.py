"""Submissions: listed, looked at, and decided, one by one or in bulk."""

import json
from datetime import datetime, timedelta

from crowd.marketplace.tools.prolific.api.paging import page_of, put_in_order
from crowd.marketplace.tools.prolific.api.routing import Answer, Asked, route
from crowd.marketplace.tools.prolific.api.wire_documents import submission_document, submission_row
from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state import submission_states as states
from crowd.marketplace.tools.prolific.state.completion_actions import complete
from crowd.marketplace.tools.prolific.state.entities import Json, Submission
from crowd.marketplace.tools.prolific.state.prolific_world import World, find
from crowd.marketplace.tools.prolific.state.wallets import take_turn

MOST_AT_ONCE = 1000
ORDERS = ("started_at", "completed_at", "status")
REMEMBERED = timedelta(minutes=5)


@route("GET", "/submissions/")
def list_submissions(world: World, asked: Asked) -> Answer:
    study_id, status = asked.query.get("study"), asked.query.get("status")
    found = list(world.submissions.values())
    if study_id is not None:
        found = find(world.studies, study_id).submissions
    submissions = [one for one in found if status in (None, one.status)]
    put_in_order(asked, submissions, tell=submission_row, allowed=ORDERS)
    return Answer(body=page_of(asked, submissions, tell=submission_row))


@route("GET", "/submissions/{id}/")
def get_submission(world: World, asked: Asked) -> Answer:
    return Answer(body=submission_document(find(world.submissions, asked.params["id"])))


@route("POST", "/submissions/{id}/transition/")
def transition_submission(world: World, asked: Asked) -> Answer:
    submission = find(world.submissions, asked.params["id"])
    _change(world, submission, asked.body)
    return Answer(body=submission_document(submission))


@route("POST", "/submissions/{id}/request-return/")
def request_return(world: World, asked: Asked) -> Answer:
    submission = find(world.submissions, asked.params["id"])
    submission.return_reasons.extend(asked.body["request_return_reasons"])
    return Answer(body=submission_document(submission))


@route("POST", "/submissions/bulk-approve/")
def bulk_approve(world: World, asked: Asked) -> Answer:
    """Approve some time later what awaits review then. The same request within five minutes does nothing."""
    submissions = _named_by(world, asked.body)
    key, now = json.dumps(asked.body, sort_keys=True), world.now()
    earlier = world.bulk_approvals.get(key)
    if earlier is None or now - earlier >= REMEMBERED:
        take_turn(world, submissions[0].study.workspace)
        world.bulk_approvals[key] = now
        world.agenda.add(world.later(), lambda at: _approve_all(world, submissions, at))
    return Answer(body={"message": "The request to bulk approve has been made successfully."})


def _change(world: World, submission: Submission, body: Json) -> None:
    now, action = world.now(), body["action"]
    if action == "APPROVE":
        _approve(world, submission, now)
    elif action == "REJECT":
        message, category = body.get("message", ""), body.get("rejection_category", "")
        states.reject(world, submission, message=message, category=category, now=now)
    elif action == "COMPLETE":
        percentage = body.get("completion_code_data", {}).get("percentage_of_reward")
        complete(world, submission, body.get("completion_code", ""), percentage=percentage)
    elif action == "RETURN":
        states.move(world, submission, "RETURNED", now)
    elif action == "START":
        _start(world, submission, now)
    elif action == "SCREEN_OUT":
        states.screen_out(world, submission, cents=0, now=now)
    elif action == "UNREJECT":
        states.unreject(world, submission, now)
    else:
        states.unreturn(world, submission, now)


def _approve(world: World, submission: Submission, now: datetime) -> None:
    if submission.status in states.ALLOWED_FROM["APPROVED"]:
        take_turn(world, submission.study.workspace)
    states.approve(world, submission, now)


def _start(world: World, submission: Submission, now: datetime) -> None:
    if submission.status == "RETURNED":
        raise Refused(400, "A submission that is RETURNED can't become ACTIVE by START.")
    states.start(world, submission, now)


def _named_by(world: World, body: Json) -> list[Submission]:
    """Raises Refused if there are none, too many, or unknown ones, which the answer lists."""
    if "submission_ids" in body:
        ids = body["submission_ids"]
        known = world.submissions
    else:
        ids = body.get("participant_ids", [])
        study = find(world.studies, body.get("study_id", ""))
        known = {one.participant.id: one for one in study.submissions}
    if not 0 < len(ids) <= MOST_AT_ONCE:
        raise Refused(400, f"Between 1 and {MOST_AT_ONCE} submissions can be approved at once.")
    unknown = [one for one in ids if one not in known]
    if unknown:
        raise Refused(400, [f"There is no submission for {one}." for one in unknown])
    return [known[one] for one in ids]


def _approve_all(world: World, submissions: list[Submission], now: datetime) -> None:
    for submission in submissions:
        if submission.status == "AWAITING REVIEW":
            states.approve(world, submission, now)
