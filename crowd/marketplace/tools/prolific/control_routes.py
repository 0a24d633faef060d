"""What tests and demos do to the stand-in from outside: JSON under /control/, with the API's token."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from datetime import timedelta
from re import error as PatternError  # noqa: N812 - its name in Python 3.11
from typing import Any

from crowd.marketplace.tools.prolific.api.message_routes import receive_message
from crowd.marketplace.tools.prolific.api.wire_documents import instant, submission_document
from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state.completion_actions import finish
from crowd.marketplace.tools.prolific.state.entities import Submission
from crowd.marketplace.tools.prolific.state.prolific_world import Habits, World, find
from crowd.marketplace.tools.prolific.state.taking_part import (
    add_participant,
    entry_address,
    open_again,
    preview_address,
    reserve,
    return_place,
    take_part,
)
from crowd.marketplace.tools.prolific.truth import tell_truth

Body = Mapping[str, Any]
Control = Callable[[World, Body], Any]


def answer_control(world: World, *, method: str, path: str, body: Any) -> Any:
    """Raises Refused for what is not known or makes no sense."""
    control = CONTROLS.get(f"{method} {path}")
    if control is None:
        raise Refused(404, "Not found.")
    try:
        return control(world, body or {})
    except (AttributeError, KeyError, TypeError, ValueError, PatternError) as problem:
        raise Refused(400, f"{type(problem).__name__}: {problem}") from None


def _participants(world: World, body: Body) -> Any:
    return {"id": add_participant(world, **body).id}


def _clock(world: World, body: Body) -> Any:
    world.advance(timedelta(seconds=body["advance_s"]))
    return {"now": instant(world.now())}


def _faults(world: World, body: Body) -> Any:
    world.faults.add(**body)
    return [asdict(one) for one in world.faults.rules]


def _no_faults(world: World, body: Body) -> Any:
    world.faults.clear()
    return []


def _habits(world: World, body: Body) -> Any:
    known = {one.name for one in fields(Habits)}
    unknown = body.keys() - known
    if unknown:
        raise Refused(400, f"{', '.join(sorted(unknown))} is no habit.")
    for name, value in body.items():
        setattr(world.habits, name, value)
    return asdict(world.habits)


def _wallet(world: World, body: Body) -> Any:
    workspace = find(world.workspaces, body["workspace_id"])
    world.top_up(workspace, body["cents"])
    return {"total": workspace.total}


def _hooks(world: World, body: Body) -> Any:
    """Set what happens to deliveries; `release` sends what was held, `backward` in reverse."""
    hooks = world.hooks
    hooks.repeats = body.get("repeats", hooks.repeats)
    hooks.lose = body.get("lose", hooks.lose)
    hooks.holds = body.get("holds", hooks.holds)
    if body.get("release"):
        hooks.release(backward=body.get("backward", False))
    return {"repeats": hooks.repeats, "lose": hooks.lose, "holds": hooks.holds}


def _message(world: World, body: Body) -> Any:
    receive_message(
        world, participant_id=body["participant_id"], body=body["body"], study_id=body.get("study_id")
    )
    return {}


def _take_part(world: World, body: Body) -> Any:
    study = find(world.studies, body["study_id"])
    participant = find(world.participants, body["participant_id"])
    do = reserve if body.get("only_reserve") else take_part
    return _told(world, do(world, study, participant))


def _open(world: World, body: Body) -> Any:
    submission = find(world.submissions, body["submission_id"])
    open_again(world, submission)
    return _told(world, submission)


def _finish(world: World, body: Body) -> Any:
    submission = find(world.submissions, body["submission_id"])
    finish(world, submission, body.get("code", ""), world.now())
    return _told(world, submission)


def _return(world: World, body: Body) -> Any:
    submission = find(world.submissions, body["submission_id"])
    return_place(world, submission, world.now())
    return _told(world, submission)


def _preview(world: World, body: Body) -> Any:
    return {"url": preview_address(find(world.studies, body["study_id"]))}


def _truth(world: World, body: Body) -> Any:
    return tell_truth(world)


def _told(world: World, submission: Submission) -> Any:
    return {**submission_document(submission), "url": entry_address(world, submission)}


CONTROLS: Mapping[str, Control] = {
    "POST /control/participants/": _participants,
    "POST /control/clock/": _clock,
    "POST /control/faults/": _faults,
    "DELETE /control/faults/": _no_faults,
    "POST /control/habits/": _habits,
    "POST /control/wallet/": _wallet,
    "POST /control/hooks/": _hooks,
    "POST /control/messages/": _message,
    "POST /control/take-part/": _take_part,
    "POST /control/open/": _open,
    "POST /control/finish/": _finish,
    "POST /control/return/": _return,
    "POST /control/preview/": _preview,
    "GET /control/truth/": _truth,
}
