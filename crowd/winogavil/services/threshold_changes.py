"""A game's set-up and its selection threshold stand in the audit log: they decide what the data are."""

from datetime import datetime

from crowd.winogavil.models import Game
from hits.core import audit_trail
from hits.identity.models.users import User


def note_set_up(*, game: Game, by: User, now: datetime) -> None:
    """Note that the study's game has rules of its own now. The caller holds the transaction that makes it."""
    words = f"The association game is set up. Its selection threshold is {game.selection_threshold} %."
    audit_trail.note("association_game.set_up", words, by=by, now=now, study=game.study)


def note_threshold(*, game: Game, by: User, now: datetime) -> None:
    """Note the threshold that the game has now. The caller holds the transaction that changes it."""
    words = f"The selection threshold of associations is {game.selection_threshold} % now."
    audit_trail.note("selection.changed", words, by=by, now=now, study=game.study)
