"""A player takes a word of their own back: it leaves the game and the data, and nobody is asked about it."""

from datetime import datetime

import structlog

from crowd.winogavil.play.models import Turn
from crowd.winogavil.play.services import sharing
from crowd.winogavil.services.withdrawal import pull_disowned
from hits.core.errors import RuleBroken
from hits.work.services import leasing

log = structlog.get_logger()


def withdraw_word(*, turn: Turn, now: datetime) -> None:
    """Keep the word of a finished turn out of the data, for good. Idempotent. What was published stays so.

    Its pictures are free for another word; the daily rebuild takes it out of the player's figures.
    """
    if turn.role != Turn.Role.CREATE:
        raise RuleBroken("not_yours", "The word was invented by somebody else.")
    sharing.stop_sharing(turn=turn)
    if leasing.keep_out(turn.assignment, now=now):
        log.info("turn.withdrawn")
    pull_disowned(now=now)
