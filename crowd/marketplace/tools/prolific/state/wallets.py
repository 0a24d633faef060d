"""The wallet of a workspace: what is locked for studies, and what is paid out of it."""

from datetime import datetime, timedelta
from typing import Literal

from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state.cost_rules import Cost, cost_of_more
from crowd.marketplace.tools.prolific.state.entities import (
    OPEN,
    PAID_FULLY,
    UNDER_WAY,
    Json,
    Movement,
    Payment,
    Study,
    Submission,
    Workspace,
)
from crowd.marketplace.tools.prolific.state.prolific_world import World
from crowd.marketplace.tools.prolific.state.study_rules import action_of

Paid = Literal["reward", "partial", "screen_out"]


def locked_for(study: Study) -> int:
    """The money that the study may still need, with fees and VAT."""
    return cost_of_more(_may_still_pay(study), beside=study.paid, fee_rate=study.workspace.fee_rate).total


def available(world: World, workspace: Workspace) -> int:
    studies = (one for one in world.studies.values() if one.workspace is workspace and not one.is_test)
    return workspace.total - sum(locked_for(study) for study in studies)


def check_funds(world: World, workspace: Workspace, needed: int) -> None:
    """Raises Refused if the wallet can't pay so much more."""
    if needed > available(world, workspace):
        raise Refused(400, "There are not enough funds in the workspace's wallet.")


def take_turn(world: World, workspace: Workspace) -> None:
    """Keep the wallet busy for a while. Raises Refused with 429 if it is."""
    now = world.now()
    if workspace.busy_until is not None and now < workspace.busy_until:
        raise Refused(429, "The workspace's wallet is busy. Try again later.")
    workspace.busy_until = now + timedelta(seconds=world.habits.wallet_busy_s)


def pay_reward(world: World, submission: Submission, *, kind: Paid, cents: int, now: datetime) -> None:
    study = submission.study
    if study.is_test:
        return
    cost = cost_of_more(cents, beside=study.paid, fee_rate=study.workspace.fee_rate)
    study.paid += cents
    _move(study.workspace, kind=kind, cost=cost, reference=submission.id, now=now)
    _record(world, submission, kind=kind, cents=cents, bulk_id=None, now=now)


def pay_bonuses(world: World, setup_id: str, now: datetime) -> None:
    """Pay everyone of a set-up, once more each time; nobody, if the money went elsewhere meanwhile."""
    setup = world.setups[setup_id]
    if setup.cost.total > available(world, setup.study.workspace):
        return
    _move(setup.study.workspace, kind="bonus", cost=setup.cost, reference=setup.id, now=now)
    for submission, cents in setup.rows:
        submission.bonuses.append(cents)
        _record(world, submission, kind="bonus", cents=cents, bulk_id=setup.id, now=now)


def slots_left(study: Study, code: Json) -> int:
    action = action_of(code, "FIXED_SCREEN_OUT_PAYMENT")
    if action is None:
        return 0
    used: int = sum(
        one.status == "SCREENED OUT" and one.entered_code == code["code"] for one in study.submissions
    )
    slots: int = action["slots"]
    return max(0, slots - used)


def _may_still_pay(study: Study) -> int:
    if study.status == "COMPLETED":
        return study.reward * sum(one.status in OPEN for one in study.submissions)
    if study.status not in UNDER_WAY:
        return 0
    paid = sum(one.status in PAID_FULLY for one in study.submissions)
    unpaid: int = max(0, study.places - paid)
    return study.reward * unpaid + _for_screening_out(study)


def _for_screening_out(study: Study) -> int:
    total = 0
    for code in study.fields["completion_codes"]:
        action = action_of(code, "FIXED_SCREEN_OUT_PAYMENT")
        if action is not None:
            total += slots_left(study, code) * int(action["fixed_screen_out_reward"])
    return total


def _move(
    workspace: Workspace,
    *,
    kind: Literal["reward", "partial", "screen_out", "bonus"],
    cost: Cost,
    reference: str,
    now: datetime,
) -> None:
    workspace.movements.append(Movement(kind=kind, cost=cost, reference=reference, at=now))


def _record(
    world: World,
    submission: Submission,
    *,
    kind: Literal["reward", "partial", "screen_out", "bonus"],
    cents: int,
    bulk_id: str | None,
    now: datetime,
) -> None:
    world.payments.append(
        Payment(
            submission_id=submission.id,
            participant_id=submission.participant.id,
            kind=kind,
            cents=cents,
            bulk_id=bulk_id,
            at=now,
        )
    )
