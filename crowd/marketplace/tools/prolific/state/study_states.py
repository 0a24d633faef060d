"""The life of a study: its transitions, its places, and what its submissions do to it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state.cost_rules import cost_of_more
from crowd.marketplace.tools.prolific.state.entities import (
    OPEN,
    PAID_FULLY,
    TAKING,
    Json,
    Project,
    Study,
    StudyStatus,
)
from crowd.marketplace.tools.prolific.state.prolific_world import World
from crowd.marketplace.tools.prolific.state.study_rules import (
    SUBMISSIONS_CONFIG,
    check_fields,
    check_published_change,
    fill_in,
)
from crowd.marketplace.tools.prolific.state.wallets import check_funds, slots_left

Action = Literal["PUBLISH", "SCHEDULE_PUBLISH", "CANCEL_PUBLISH", "PAUSE", "START", "STOP"]
ALLOWED_FROM: Mapping[Action, frozenset[str]] = {
    "PUBLISH": frozenset({"UNPUBLISHED", "SCHEDULED"}),
    "SCHEDULE_PUBLISH": frozenset({"UNPUBLISHED"}),
    "CANCEL_PUBLISH": frozenset({"SCHEDULED"}),
    "PAUSE": frozenset({"ACTIVE"}),
    "START": frozenset({"PAUSED", "AWAITING REVIEW"}),
    "STOP": frozenset({"PUBLISHING", "ACTIVE", "PAUSED", "AWAITING REVIEW"}),
}
DRAFT = frozenset({"UNPUBLISHED", "SCHEDULED"})
HIGH_RETURNS = 10


def taken(study: Study) -> int:
    return sum(one.status in TAKING for one in study.submissions)


def open_places(study: Study) -> int:
    return max(0, study.places - taken(study) - study.stuck)


def set_status(world: World, study: Study, status: StudyStatus, now: datetime) -> None:
    if study.status == status:
        return
    study.status = status
    _announce(world, study, "study.status.change", now, status=status)


def change_state(world: World, study: Study, action: Action, *, publish_at: datetime | None) -> None:
    """Raises Refused if the study's status, or its wallet, does not allow it."""
    now = world.now()
    if study.status not in ALLOWED_FROM[action]:
        raise Refused(400, f"A study that is {study.status} does not allow {action}.")
    if action == "SCHEDULE_PUBLISH":
        _schedule(world, study, publish_at, now)
    elif action == "CANCEL_PUBLISH":
        study.publish_at = None
        set_status(world, study, "UNPUBLISHED", now)
    elif action == "PUBLISH":
        publish(world, study, now)
    elif action == "PAUSE":
        set_status(world, study, "PAUSED", now)
    elif action == "START":
        _start(world, study, now)
    else:
        waits = world.habits.stop_awaits_review
        set_status(world, study, "AWAITING REVIEW" if waits else "COMPLETED", now)


def publish(world: World, study: Study, now: datetime) -> None:
    """Lock the money and publish. Raises Refused if the wallet lacks it."""
    needed = cost_of_more(_worth(study), beside=0, fee_rate=study.workspace.fee_rate).total
    if not study.is_test:
        check_funds(world, study.workspace, needed)
    study.published_at = now
    set_status(world, study, "PUBLISHING", now)
    if world.habits.lag_s:
        world.agenda.add(world.later(), lambda at: _activate(world, study, at))
    else:
        _activate(world, study, now)


def change_study(world: World, study: Study, changes: Json, *, project: Project) -> None:
    """Change fields: all of a draft, few of a published study, whose places only grow. Raises Refused."""
    if study.status not in DRAFT:
        check_published_change(study, changes)
    fields = {**study.fields, **changes}
    config = changes.get("submissions_config", {})
    fields["submissions_config"] = {**SUBMISSIONS_CONFIG, **study.fields["submissions_config"], **config}
    check_fields(world, project.workspace, fields)
    if study.status in DRAFT:
        study.fields, study.project = fields, project
        return
    before = study.fields
    study.fields = fields
    try:
        _revive_if_grown(world, study, has_grown=study.places > before["total_available_places"])
    except Refused:
        study.fields = before
        raise


def clone_of(world: World, study: Study, *, key: str) -> Study:
    """A draft like this one that leaves out the earlier study's participants."""
    left_out = {"filter_id": "previous_studies_blocklist", "selected_values": [study.id]}
    fields = {**study.fields, "filters": [*study.fields["filters"], left_out]}
    return Study(id=key, project=study.project, fields=fill_in(fields), created_at=world.now())


def notice_change(world: World, study: Study, *, was_taking: bool, is_taking: bool, now: datetime) -> None:
    """Follow a submission that took a place, or left it: the study may be full, finished or open again."""
    if was_taking and not is_taking and study.status != "ACTIVE":
        study.stuck += 1
    if is_taking and not was_taking and study.stuck and study.status != "ACTIVE":
        study.stuck -= 1
    if was_taking != is_taking:
        _announce(world, study, "study.progress.change", now, places_taken=taken(study))
    _follow_places(world, study, now)
    _tell_of_returns(world, study, now)


def pause_when_used_up(world: World, study: Study, code: Json, now: datetime) -> None:
    """A study whose slots for screening out are used up pauses."""
    if study.status == "ACTIVE" and slots_left(study, code) == 0:
        set_status(world, study, "PAUSED", now)


def _schedule(world: World, study: Study, publish_at: datetime | None, now: datetime) -> None:
    if publish_at is None or publish_at <= now:
        raise Refused(400, {"publish_at": ["SCHEDULE_PUBLISH needs a publish_at in the future."]})
    study.publish_at = publish_at
    set_status(world, study, "SCHEDULED", now)
    world.agenda.add(publish_at, lambda at: _publish_scheduled(world, study, publish_at, at))


def _publish_scheduled(world: World, study: Study, asked: datetime, now: datetime) -> None:
    if study.status != "SCHEDULED" or study.publish_at != asked:
        return
    try:
        publish(world, study, now)
    except Refused:
        set_status(world, study, "UNPUBLISHED", now)


def _activate(world: World, study: Study, now: datetime) -> None:
    if study.status == "PUBLISHING":
        set_status(world, study, "ACTIVE", now)


def _start(world: World, study: Study, now: datetime) -> None:
    study.stuck = 0
    set_status(world, study, "ACTIVE" if open_places(study) else "AWAITING REVIEW", now)
    _follow_places(world, study, now)


def _follow_places(world: World, study: Study, now: datetime) -> None:
    if study.status == "ACTIVE" and open_places(study) == 0:
        set_status(world, study, "AWAITING REVIEW", now)
    if study.status == "AWAITING REVIEW" and _is_done(study):
        set_status(world, study, "COMPLETED", now)


def _revive_if_grown(world: World, study: Study, *, has_grown: bool) -> None:
    """New places need money, and wake a study that had none left. Raises Refused without it."""
    before = study.status
    is_revived = has_grown and before in ("COMPLETED", "AWAITING REVIEW")
    # The wallet counts what a study that is under way may still need.
    study.status = "ACTIVE" if is_revived else before
    try:
        if not study.is_test:
            check_funds(world, study.workspace, 0)
    finally:
        study.status = before
    if is_revived:
        set_status(world, study, "ACTIVE", world.now())


def _worth(study: Study) -> int:
    codes: list[Json] = study.fields["completion_codes"]
    actions = [action for code in codes for action in code.get("actions", [])]
    slots = sum(one.get("slots", 0) * one.get("fixed_screen_out_reward", 0) for one in actions)
    return study.reward * study.places + int(slots)


def _is_done(study: Study) -> bool:
    statuses = [one.status for one in study.submissions]
    return not OPEN.intersection(statuses) and sum(one in PAID_FULLY for one in statuses) >= study.places


def _tell_of_returns(world: World, study: Study, now: datetime) -> None:
    statuses = [one.status for one in study.submissions]
    if study.told_of_returns or len(statuses) < HIGH_RETURNS:
        return
    if statuses.count("RETURNED") * 2 >= len(statuses):
        study.told_of_returns = True
        _announce(world, study, "study.has_high_return_rate", now)


def _announce(world: World, study: Study, event_type: str, now: datetime, **more: str | int) -> None:
    world.hooks.announce(
        workspace=study.workspace, event_type=event_type, now=now, resource_id=study.id, **more
    )
