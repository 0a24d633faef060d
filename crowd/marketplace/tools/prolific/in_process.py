"""The stand-in's controls as functions, for tests in its process: each takes the lock and settles."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar

from crowd.marketplace.tools.prolific.api.message_routes import receive_message
from crowd.marketplace.tools.prolific.state.completion_actions import finish
from crowd.marketplace.tools.prolific.state.prolific_world import World, find
from crowd.marketplace.tools.prolific.state.taking_part import (
    add_participant,
    entry_address,
    open_again,
    preview_address,
    reserve,
    return_place,
    take_part,
)
from crowd.marketplace.tools.prolific.truth import payments, tell_truth, wallets

Result = TypeVar("Result")


class Controls:
    """What a test does to the stand-in, by ids. What a participant can't do raises Refused."""

    def __init__(self, world: World) -> None:
        self._world = world

    def add_participant(self, **answers: Any) -> str:
        """A new participant with these answers to the filters' questions."""
        return self._do(lambda: add_participant(self._world, **answers).id)

    def reserve(self, study_id: str, participant_id: str) -> str:
        """Take a place without opening the study; the submission's id."""
        return self._do(lambda: reserve(self._world, *self._pair(study_id, participant_id)).id)

    def take_part(self, study_id: str, participant_id: str) -> str:
        """Take a place and open the study; the submission's id, which is the SESSION_ID."""
        return self._do(lambda: take_part(self._world, *self._pair(study_id, participant_id)).id)

    def open_again(self, submission_id: str) -> str:
        """The address that the participant's browser is sent to, whether first or again."""
        return self._do(lambda: open_again(self._world, find(self._world.submissions, submission_id)))

    def address_of(self, submission_id: str) -> str:
        return self._do(lambda: entry_address(self._world, find(self._world.submissions, submission_id)))

    def preview(self, study_id: str) -> str:
        """The address that a researcher's preview opens, whose ids the API does not know."""
        return self._do(lambda: preview_address(find(self._world.studies, study_id)))

    def finish(self, submission_id: str, code: str = "") -> None:
        """Come back with this code; without one it is NOCODE."""
        self._do(
            lambda: finish(self._world, find(self._world.submissions, submission_id), code, self._world.now())
        )

    def return_place(self, submission_id: str) -> None:
        self._do(
            lambda: return_place(self._world, find(self._world.submissions, submission_id), self._world.now())
        )

    def write(self, participant_id: str, body: str, *, study_id: str | None = None) -> None:
        """Write to the researcher as this participant."""
        self._do(
            lambda: receive_message(self._world, participant_id=participant_id, body=body, study_id=study_id)
        )

    def top_up(self, workspace_id: str, cents: int) -> None:
        self._do(lambda: self._world.top_up(find(self._world.workspaces, workspace_id), cents))

    def advance(self, **by: float) -> None:
        """Move the clock by `days=21` and the like, and do what became due."""
        self._world.advance(timedelta(**by))

    def fail(self, **fault: Any) -> None:
        """Answer the next requests otherwise: the fields of a Fault."""
        self._do(lambda: self._world.faults.add(**fault))

    def release_hooks(self, *, backward: bool = False) -> None:
        """Send the events that `world.hooks.holds` held back."""
        self._do(lambda: self._world.hooks.release(backward=backward))

    def truth(self) -> dict[str, Any]:
        return self._do(lambda: tell_truth(self._world))

    def payments(self) -> list[dict[str, Any]]:
        return self._do(lambda: payments(self._world))

    def wallets(self) -> dict[str, Any]:
        return self._do(lambda: wallets(self._world))

    def _pair(self, study_id: str, participant_id: str) -> tuple[Any, Any]:
        return find(self._world.studies, study_id), find(self._world.participants, participant_id)

    def _do(self, act: Callable[[], Result]) -> Result:
        self._world.settle()
        with self._world.lock:
            result = act()
        self._world.settle()
        return result
