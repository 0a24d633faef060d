"""The participants' side: who sees which study, takes a place, opens it again, and returns it."""

from datetime import datetime
from typing import Any
from urllib.parse import quote

from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.session_tokens import session_token
from crowd.marketplace.tools.prolific.state.completion_actions import NO_CODE, finish
from crowd.marketplace.tools.prolific.state.entities import TAKING, Participant, Study, Submission
from crowd.marketplace.tools.prolific.state.filter_rules import is_eligible
from crowd.marketplace.tools.prolific.state.prolific_world import World, new_id
from crowd.marketplace.tools.prolific.state.study_rules import code_of
from crowd.marketplace.tools.prolific.state.study_states import notice_change, open_places
from crowd.marketplace.tools.prolific.state.submission_states import (
    announce_submission,
    expect_start,
    move,
    start,
)


def add_participant(world: World, *, email: str = "", is_test: bool = False, **answers: Any) -> Participant:
    participant = Participant(id=new_id(), answers=answers, email=email, is_test=is_test)
    world.participants[participant.id] = participant
    return participant


def studies_for(world: World, participant: Participant) -> list[Study]:
    return [study for study in world.studies.values() if why_not(world, study, participant) is None]


def why_not(world: World, study: Study, participant: Participant) -> str | None:
    """The reason why this participant can't take a place now, if there is one."""
    own = [one for one in study.submissions if one.participant is participant]
    config = study.fields["submissions_config"]
    most = config["max_submissions_per_participant"]
    at_once = config["max_concurrent_submissions"]
    if study.status != "ACTIVE" or open_places(study) == 0:
        return "The study has no open place."
    if study.is_test != participant.is_test or not is_eligible(world, study, participant):
        return "The study is not open to this participant."
    if any(one.status in ("RESERVED", "ACTIVE") for one in own):
        return "The participant is taking part already."
    if most != -1 and len(own) >= most:
        return "The participant has taken part already."
    if not _has_credentials(world, study):
        return "The study has no credentials left."
    running = sum(one.status in ("RESERVED", "ACTIVE") for one in study.submissions)
    return "Others take part at the moment." if at_once != -1 and running >= at_once else None


def reserve(world: World, study: Study, participant: Participant) -> Submission:
    """Take a place for ten minutes. Raises Refused with the reason why not."""
    reason = why_not(world, study, participant)
    if reason:
        raise Refused(409, reason)
    now = world.now()
    submission = Submission(
        id=new_id(),
        study=study,
        participant=participant,
        status="RESERVED",
        reserved_at=now,
        started_at=now,
        external_url=_address_with_room(study),
        credentials=_next_credentials(world, study),
    )
    world.submissions[submission.id] = submission
    study.submissions.append(submission)
    announce_submission(world, submission, now)
    notice_change(world, study, was_taking=False, is_taking=True, now=now)
    expect_start(world, submission, now)
    return submission


def take_part(world: World, study: Study, participant: Participant) -> Submission:
    """Take a place and open the study at once. Raises Refused."""
    submission = reserve(world, study, participant)
    start(world, submission, world.now())
    return submission


def open_again(world: World, submission: Submission) -> str:
    """The study's address for this submission, the same however often it is opened. Raises Refused."""
    if submission.status == "RESERVED":
        start(world, submission, world.now())
    if submission.status not in ("ACTIVE", "TIMED-OUT"):
        raise Refused(409, f"A submission that is {submission.status} can't be opened.")
    return entry_address(world, submission)


def return_place(world: World, submission: Submission, now: datetime) -> None:
    move(world, submission, "RETURNED", now)


def entry_address(world: World, submission: Submission) -> str:
    """The study's address with the ids of this submission, and with a token where the study wants one."""
    study = submission.study
    address = _filled_in(
        submission.external_url,
        participant_id=submission.participant.id,
        study_id=study.id,
        session_id=submission.id,
    )
    if not study.fields["is_external_study_url_secure"]:
        return address
    token = session_token(submission.id, issuer=world.base_url, now=world.now())
    return f"{address}{'&' if '?' in address else '?'}prolific_token={token}"


def preview_address(study: Study) -> str:
    """What a preview by the researcher opens: ids of the right form that the API does not know."""
    return _filled_in(
        _address_with_room(study), participant_id=new_id(), study_id=study.id, session_id=new_id()
    )


def come_back(world: World, participant: Participant, code: str) -> Submission:
    """Finish what this code finishes, and nothing where it has done so: the page may be loaded again.

    A code finishes work that is under way in a study that has it, or else what the participant began last.
    Raises Refused where there is nothing.
    """
    own = [one for one in world.submissions.values() if one.participant is participant]
    running = [one for one in own if one.status == "ACTIVE"] or [
        one for one in own if one.status == "TIMED-OUT"
    ]
    meant = [one for one in running if code_of(one.study, code)]
    done = [one for one in own if one.completed_at is not None and one.entered_code == (code or NO_CODE)]
    if not meant and done:
        return done[-1]
    if not running:
        raise Refused(404, "This participant is taking part in no study.")
    submission = max(meant or running, key=lambda one: one.started_at)
    finish(world, submission, code, world.now())
    return submission


def allocations(study: Study) -> list[dict[str, Any]]:
    """Each address of a study with several, with the places that are taken of it."""
    details: list[dict[str, Any]] = study.fields["access_details"]
    return [
        {
            "external_url": one["external_url"],
            "total_allocation": one["total_allocation"],
            "places_taken": _taken_at(study, one["external_url"]),
        }
        for one in details
    ]


def _filled_in(address: str, *, participant_id: str, study_id: str, session_id: str) -> str:
    for placeholder, value in (
        ("{{%PROLIFIC_PID%}}", participant_id),
        ("{{%STUDY_ID%}}", study_id),
        ("{{%SESSION_ID%}}", session_id),
    ):
        address = address.replace(placeholder, quote(value, safe=""))
    return address


def _address_with_room(study: Study) -> str:
    for one in allocations(study):
        if one["places_taken"] < one["total_allocation"]:
            return str(one["external_url"])
    return str(study.fields["external_study_url"])


def _has_credentials(world: World, study: Study) -> bool:
    pool = study.fields["credential_pool_id"]
    return pool is None or bool(world.credential_pools[pool])


def _next_credentials(world: World, study: Study) -> list[str]:
    """The next user and password of the study's pool, which nobody else is given."""
    pool = study.fields["credential_pool_id"]
    return [] if pool is None else world.credential_pools[pool].pop(0)


def _taken_at(study: Study, address: str) -> int:
    return sum(one.external_url == address and one.status in TAKING for one in study.submissions)
