"""A solve batch has as many places as answers are wanted: by itself within the budget, or on a click."""

from datetime import datetime

import structlog
from django.db.models import Exists, OuterRef, Q

from crowd.winogavil.models import Game
from hits.errors import RuleBroken
from hits.models import Item
from hits.services.growing import GROWING, grow_batch

log = structlog.get_logger()


def grow_solving(*, now: datetime) -> int:
    """HITs added to all games that grow by themselves. Why one could not grow stands on its page."""
    wanting = Item.objects.filter(
        study=OuterRef("solve_batch__study"), task=OuterRef("solve_batch__task"), wanted__gt=0, pulled_at=None
    )
    games = Game.objects.filter(grows=True, solve_batch__status__in=GROWING)
    # Why a game could not grow is forgotten once nothing is wanted any more.
    games = games.filter(Exists(wanting) | ~Q(problem=""))
    return sum(_grow(game, now=now) for game in games.select_related("solve_batch__study").order_by("pk"))


def _grow(game: Game, *, now: datetime) -> int:
    batch = game.solve_batch
    if batch is None or batch.launched_by is None:
        return 0
    problem, added = "", 0
    try:
        # On the word of whoever launched it, and within what the study may still spend.
        added = grow_batch(batch=batch, by=batch.launched_by, now=now)
    except RuleBroken as broken:
        problem = str(broken)
        log.warning("game.not_grown", study=str(batch.study.public_id), code=broken.code)
    if problem != game.problem:
        Game.objects.filter(pk=game.pk).update(problem=problem)
    return added
