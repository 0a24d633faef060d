"""A finished turn gets a public address if its player wants one, and loses it when the player says so."""

from uuid import uuid4

import structlog

from crowd.winogavil.play.models import Turn

log = structlog.get_logger()


def share_turn(*, turn: Turn) -> None:
    """Give the turn an address that nobody can guess. Idempotent: a turn that is shared keeps its own."""
    done = Turn.objects.filter(pk=turn.pk, status=Turn.Status.DONE, shared_as=None)
    if done.update(shared_as=uuid4()):
        log.info("turn.shared", role=turn.role)


def stop_sharing(*, turn: Turn) -> None:
    """Take the address away for good; sharing again makes another one."""
    Turn.objects.filter(pk=turn.pk).update(shared_as=None)
