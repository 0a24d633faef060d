"""Growth of solve batches to as many places as answers needed: by itself within the budget, or by a click."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from crowd.winogavil.models import Game
from hits.batches.services.top_up import GROWING, grow_each
from hits.work.models.items import Item


def grow_solving(*, now: datetime) -> int:
    """Add HITs to all games that grow by themselves; the page of a game shows why it could not grow."""
    wanting = Item.objects.filter(
        study=OuterRef("solve_batch__study"), task=OuterRef("solve_batch__task"), wanted__gt=0, pulled_at=None
    )
    games = Game.objects.filter(grows=True, solve_batch__status__in=GROWING)
    # The reason why a game could not grow is cleared once no answer is needed any more.
    games = games.filter(Exists(wanting) | ~Q(problem=""))
    related = games.select_related("solve_batch__study", "solve_batch__launched_by")
    return grow_each(related, batch="solve_batch", now=now)
