"""Changes of the selection threshold stand in the audit log: it decides what the data are."""

from datetime import datetime

from crowd.winogavil.models import Game
from hits.core import audit_trail
from hits.identity.models.users import User


def note_threshold(*, game: Game, by: User, now: datetime) -> None:
    """Note the threshold that the game has now. The caller holds the transaction that changes it."""
    words = f"The selection threshold of associations is {game.selection_threshold} % now."
    audit_trail.note("selection.changed", words, by=by, now=now, study=game.study)
