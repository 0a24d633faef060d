"""Players' figures: each turn is added once, when it is final, and each player's are rebuilt once a day.

The rebuilding corrects what changes after a turn was counted: a cue found unfit, work taken out of the data,
an association opened again.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import asdict
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Min, Q, QuerySet

from crowd.winogavil.play.domain import TurnWorth
from crowd.winogavil.play.models import Standing, Turn, WebGame
from crowd.winogavil.play.queries.worth import is_final, worth_of
from crowd.winogavil.uploaded_models import uploaded_models_of
from scoring.queries.rivals_beside_people import Comparison, compare
from scoring.services.rival_selection import rivals_of

SLICE = 500
CHECKED_EVERY = timedelta(days=1)
# Standings rebuilt in one run: with a run a minute, 70,000 players in a day.
MOST_CHECKED = 50
MODELS_EVERY = timedelta(hours=1)
FIGURES = (*vars(TurnWorth()), "creator_points", "solver_points")


def count_turns(*, now: datetime) -> int:
    """Add the turns that became final to their players' figures, and return how many."""
    counted = 0
    while done := _count_slice(now=now):
        counted += done
    return counted


def recheck_standings(*, now: datetime) -> int:
    """Rebuild the standings that were checked longest ago, and return how many."""
    due = Standing.objects.filter(checked_at__lte=now - CHECKED_EVERY).order_by("checked_at")
    keys = list(due.values_list("pk", flat=True)[:MOST_CHECKED])
    for key in keys:
        rebuild_standing(player_id=key, now=now)
    return len(keys)


def next_check(*, now: datetime) -> datetime | None:
    """Instant when a player's figures are to be rebuilt, or an open game's models counted again."""
    checked = Standing.objects.aggregate(first=Min("checked_at"))["first"]
    counted = _open_games().aggregate(first=Min("models_counted_at"))["first"]
    instants = (checked and checked + CHECKED_EVERY, counted and counted + MODELS_EVERY)
    return min((at for at in instants if at), default=None)


def rebuild_standing(*, player_id: int, now: datetime) -> None:
    """Rebuild a player's figures from the turns alone, whatever was stored."""
    with transaction.atomic():
        standing = Standing.objects.select_for_update(no_key=True).filter(pk=player_id).first()
        if standing is None:
            return
        turns = Turn.objects.filter(player=player_id, status=Turn.Status.DONE)
        final = turns.filter(is_final())
        standing.worth = sum(worth_of(final).values(), TurnWorth())
        standing.cues = turns.filter(role=Turn.Role.CREATE).count()
        standing.solves = turns.filter(role=Turn.Role.SOLVE).count()
        standing.checked_at = now
        standing.save()
        keys = list(final.values_list("pk", flat=True))
        turns.filter(counted_at__isnull=False).exclude(pk__in=keys).update(counted_at=None)
        turns.filter(pk__in=keys, counted_at=None).update(counted_at=now)


def count_models(*, now: datetime) -> int:
    """Count the models' leaderboard of each open game, once an hour, and return how many were counted."""
    stale = Q(models_counted_at=None) | Q(models_counted_at__lte=now - MODELS_EVERY)
    games = list(_open_games().filter(stale).select_related("study"))
    for game in games:
        paid, _others = rivals_of(game.study)
        leaderboard = _leaderboard_of(compare(game.study, paid=paid))
        uploaded = uploaded_models_of(game.study) if game.shows_uploads else None
        WebGame.objects.filter(pk=game.pk).update(
            models_leaderboard=leaderboard,
            uploads_leaderboard=asdict(uploaded) if uploaded else {},
            models_counted_at=now,
        )
    return len(games)


def _open_games() -> QuerySet[WebGame]:
    return WebGame.objects.filter(is_open=True)


def _count_slice(*, now: datetime) -> int:
    due = Turn.objects.filter(is_final(), status=Turn.Status.DONE, counted_at=None).order_by("pk")
    players = dict(due.values_list("pk", "player")[:SLICE])
    if not players:
        return 0
    with transaction.atomic():
        locked = Standing.objects.filter(pk__in=set(players.values())).order_by("pk")
        standings = {one.pk: one for one in locked.select_for_update(no_key=True)}
        # Another sweep may have counted them while we waited for the rows.
        turns = Turn.objects.filter(is_final(), pk__in=players, counted_at=None)
        fresh = Turn.objects.filter(pk__in=list(turns.values_list("pk", flat=True)))
        _add(standings, worth_of(fresh), players=players)
        fresh.update(counted_at=now)
    return len(players)


def _add(standings: dict[int, Standing], worth: dict[int, TurnWorth], *, players: dict[int, int]) -> None:
    """Add worth to the standings; a player who has deleted the account has none any more."""
    sums: defaultdict[int, TurnWorth] = defaultdict(TurnWorth)
    for turn, each in worth.items():
        sums[players[turn]] += each
    changed: Collection[Standing] = [standings[player] for player in sums if player in standings]
    for standing in changed:
        standing.worth = standing.worth + sums[standing.pk]
    Standing.objects.bulk_update(changed, FIGURES)


def _leaderboard_of(comparison: Comparison) -> list[dict[str, object]]:
    """Rows of the models' leaderboard, the best first, with people among the models."""
    rows = [(comparison.people, True), *((rival, False) for rival in comparison.rivals)]
    leaderboard = [
        {"name": row.name, "is_people": is_people, "mean": row.overall, "count": comparison.solved}
        for row, is_people in rows
        if row.overall is not None
    ]
    return sorted(leaderboard, key=lambda row: (-float(str(row["mean"])), str(row["name"])))
