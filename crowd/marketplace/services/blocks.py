"""A requester's refusals of workers."""

from datetime import datetime

from crowd.marketplace.models.parties import Block, Requester, Worker


def block_worker(*, requester: Requester, worker: Worker, reason: str, now: datetime) -> None:
    """Block a worker. A repeated call only replaces the reason."""
    Block.objects.update_or_create(
        requester=requester,
        worker=worker,
        defaults={"reason": reason},
        create_defaults={"reason": reason, "created_at": now},
    )


def unblock_worker(*, requester: Requester, worker: Worker) -> None:
    """Remove a block. Idempotent: a worker who is not blocked stays so."""
    Block.objects.filter(requester=requester, worker=worker).delete()
