"""A solve batch has as many places as answers are wanted: by itself within the budget, or on a click."""

from datetime import datetime

import structlog
from django.db.models import Count, F, Max, Q, Sum
from django.db.models.functions import Greatest

from crowd.winogavil.models import Game
from hits.errors import RuleBroken
from hits.models import HIT, Assignment, Batch, User
from hits.queries import answers_wanted
from hits.services.drafting import hits_for
from hits.services.steering import add_hits

GROWING = (Batch.Status.OPEN, Batch.Status.COMPLETE)
log = structlog.get_logger()


def grow_solving(*, now: datetime) -> int:
    """HITs added to all games that grow by themselves. Why one could not grow stands on its page."""
    games = Game.objects.filter(grows=True, solve_batch__status__in=GROWING)
    return sum(_grow(game, now=now) for game in games.select_related("solve_batch__study").order_by("pk"))


def hits_lacking(batch: Batch) -> int:
    """So many more HITs, and every wanted answer has a place; 0 while the open places do."""
    lacking = answers_wanted(batch) - open_places(batch) * batch.items_per_assignment
    return hits_for(batch, answers=lacking) if lacking > 0 else 0


def open_places(batch: Batch) -> int:
    """Places that somebody can still take, of HITs sent or on their way."""
    live = batch.hits.filter(status__in=(HIT.Status.INTENDED, HIT.Status.OPEN)).order_by()
    taken = Count("assignments", filter=~Q(assignments__status=Assignment.Status.GONE))
    free = live.annotate(free=Greatest(F("max_assignments") - taken, 0))
    return free.aggregate(sum=Sum("free"))["sum"] or 0


def grow(*, game: Game, by: User, now: datetime) -> int:
    """The researcher's click. Raises RuleBroken, with nothing added."""
    if game.solve_batch is None:
        raise RuleBroken("no_batch", "Choose the batch that solves this game's associations first.")
    # If somebody else adds HITs while we count, nothing is added twice.
    last = game.solve_batch.hits.aggregate(last=Max("number"))["last"] or 0
    count = hits_lacking(game.solve_batch)
    if count:
        add_hits(batch=game.solve_batch, count=count, by=by, now=now, after=last)
    return count


def _grow(game: Game, *, now: datetime) -> int:
    batch = game.solve_batch
    if batch is None or batch.launched_by is None:
        return 0
    problem, added = "", 0
    try:
        # On the word of whoever launched it, and within what the study may still spend.
        added = grow(game=game, by=batch.launched_by, now=now)
    except RuleBroken as broken:
        problem = str(broken)
        log.warning("game.not_grown", study=str(batch.study.public_id), code=broken.code)
    if problem != game.problem:
        Game.objects.filter(pk=game.pk).update(problem=problem)
    return added
