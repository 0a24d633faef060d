"""The whole truth of the stand-in, which no route of Prolific tells: for a test's comparison."""

from typing import Any

from crowd.marketplace.tools.prolific.api.wire_documents import (
    cost_parts,
    instant,
    message_document,
    study_document,
    submission_document,
)
from crowd.marketplace.tools.prolific.state.prolific_world import World
from crowd.marketplace.tools.prolific.state.wallets import available


def tell_truth(world: World) -> dict[str, Any]:
    with world.lock:
        return {
            "now": instant(world.now()),
            "payments": payments(world),
            "wallets": wallets(world),
            "studies": [study_document(one) for one in world.studies.values()],
            "submissions": [submission_document(one) for one in world.submissions.values()],
            "groups": {one.id: list(one.participant_ids) for one in world.groups.values()},
            "messages": [message_document(one) for one in world.messages],
            "requests": list(world.requests),
            "asked_amiss": list(world.asked_amiss),
            "answered_amiss": list(world.answered_amiss),
        }


def payments(world: World) -> list[dict[str, Any]]:
    """Everything that a participant received, in the order of payment."""
    return [
        {
            "submission_id": one.submission_id,
            "participant_id": one.participant_id,
            "kind": one.kind,
            "cents": one.cents,
            "bulk_id": one.bulk_id,
            "at": instant(one.at),
        }
        for one in world.payments
    ]


def wallets(world: World) -> dict[str, Any]:
    return {
        workspace.id: {
            "total": workspace.total,
            "available": available(world, workspace),
            "movements": [
                {
                    "kind": one.kind,
                    "reference": one.reference,
                    "at": instant(one.at),
                    **cost_parts(one.cost),
                }
                for one in workspace.movements
            ],
        }
        for workspace in world.workspaces.values()
    }
