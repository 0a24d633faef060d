"""A solve batch has as many places as answers are wanted: by itself within the budget, or on a click."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from crowd.winogavil.models import Game
from hits.batches.services.top_up import GROWING, grow_each
from hits.work.models.items import Item


def grow_solving(*, now: datetime) -> int:
    """HITs added to all games that grow by themselves. Why one could not grow stands on its page."""
    wanting = Item.objects.filter(
        study=OuterRef("solve_batch__study"), task=OuterRef("solve_batch__task"), wanted__gt=0, pulled_at=None
    )
    games = Game.objects.filter(grows=True, solve_batch__status__in=GROWING)
    # Why a game could not grow is forgotten once nothing is wanted any more.
    games = games.filter(Exists(wanting) | ~Q(problem=""))
    related = games.select_related("solve_batch__study", "solve_batch__launched_by")
    return grow_each(related, batch="solve_batch", now=now)
