"""A requester's calls about workers themselves: messages and blocks."""

from collections.abc import Mapping
from typing import Any

from crowd.marketplace.errors import ParameterValidationError, out_of_range
from crowd.marketplace.models.parties import Block, Worker
from crowd.marketplace.operations.pagination import page
from crowd.marketplace.operations.registry import Call, operation
from crowd.marketplace.services import blocks, messages

MOST_WORKERS = 100
LONGEST = {"Subject": 200, "MessageText": 4096}


@operation
def notify_workers(call: Call) -> Mapping[str, Any]:
    worker_ids = list(dict.fromkeys(call.params["WorkerIds"]))
    if not 1 <= len(call.params["WorkerIds"]) <= MOST_WORKERS:
        raise out_of_range("The number of WorkerIds", low=1, high=MOST_WORKERS)
    for name, longest in LONGEST.items():
        if not call.text(name).strip() or len(call.text(name)) > longest:
            raise out_of_range(f"The length of {name}", low=1, high=longest)
    reached = messages.write_to_workers(
        requester=call.requester,
        worker_ids=worker_ids,
        subject=call.text("Subject"),
        text=call.text("MessageText"),
        now=call.now,
    )
    strangers = [worker_id for worker_id in worker_ids if worker_id not in reached]
    return {"NotifyWorkersFailureStatuses": [_describe_failure(worker_id) for worker_id in strangers]}


@operation
def create_worker_block(call: Call) -> Mapping[str, Any]:
    blocks.block_worker(
        requester=call.requester, worker=_find_worker(call), reason=call.text("Reason"), now=call.now
    )
    return {}


@operation
def delete_worker_block(call: Call) -> Mapping[str, Any]:
    blocks.unblock_worker(requester=call.requester, worker=_find_worker(call))
    return {}


@operation
def list_worker_blocks(call: Call) -> Mapping[str, Any]:
    rows = Block.objects.filter(requester=call.requester).select_related("worker")
    return page(call, rows, name="WorkerBlocks", describe=_describe_block)


def _find_worker(call: Call) -> Worker:
    worker = Worker.objects.filter(external_id=call.text("WorkerId")).first()
    if not worker:
        raise ParameterValidationError(
            f"WorkerId is invalid: there is no worker {call.text('WorkerId')}.", code="InvalidParameterValue"
        )
    return worker


def _describe_block(block: Block) -> Mapping[str, Any]:
    return {"WorkerId": block.worker.external_id, "Reason": block.reason}


def _describe_failure(worker_id: str) -> Mapping[str, Any]:
    return {
        "NotifyWorkersFailureCode": "HardFailure",
        "NotifyWorkersFailureMessage": "You have not approved or rejected any work of this worker.",
        "WorkerId": worker_id,
    }
