"""A web game in numbers, for the researchers who run it."""

from dataclasses import dataclass

from django.db.models import Q, Sum

from crowd.winogavil.play.models import Player, PracticeSet, Survey, Turn, WebGame
from hits.studies.models import Batch
from hits.work.queries.items import answers_wanted


@dataclass(frozen=True, kw_only=True)
class Facts:
    players: int
    at_work: int
    cues: int
    solves: int
    # How many cues the picture sets still need, and how many solves the cues.
    cues_wanted: int
    solves_wanted: int
    practice_sets: int
    surveys: int
    # Paid batches of the same study: their workers and the players would solve each other's words.
    paid_batches: int


def facts_of(game: WebGame) -> Facts:
    sums = game.standings.aggregate(cues=Sum("cues"), solves=Sum("solves"))
    others = Batch.objects.filter(study=game.study_id, launched_at__isnull=False)
    return Facts(
        players=Player.objects.filter(game=game, erased_at=None).count(),
        at_work=Turn.objects.filter(player__game=game, status=Turn.Status.OPEN).count(),
        cues=sums["cues"] or 0,
        solves=sums["solves"] or 0,
        cues_wanted=answers_wanted(game.create_batch),
        solves_wanted=answers_wanted(game.solve_batch),
        practice_sets=PracticeSet.objects.filter(game=game).count(),
        surveys=Survey.objects.filter(player__game=game).count(),
        paid_batches=others.exclude(Q(pk=game.create_batch_id) | Q(pk=game.solve_batch_id)).count(),
    )
