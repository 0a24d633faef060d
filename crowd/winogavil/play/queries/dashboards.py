"""A player's own figures, and what happened to their work day by day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

from django.db.models import Prefetch, QuerySet

from crowd.winogavil.models import Association, Game
from crowd.winogavil.play import domain
from crowd.winogavil.play.domain import TurnWorth
from crowd.winogavil.play.models import Player, Turn
from crowd.winogavil.play.queries.worth import worth_of
from hits.core.domain.days import day_around
from hits.work.models.leases import Lease
from scoring.models import RivalQuery

RECENT = 10


@dataclass(frozen=True, kw_only=True)
class Figures:
    """A player's figures; means are shares of one, and None while nothing is final."""

    worth: TurnWorth
    cues: int
    solves: int

    @property
    def fool(self) -> Fraction | None:
        return domain.fool_mean(self.worth)

    @property
    def solvable(self) -> Fraction | None:
        return domain.solvable_mean(self.worth)

    @property
    def jaccard(self) -> Fraction | None:
        return domain.jaccard_mean(self.worth)

    @property
    def open_cues(self) -> int:
        return max(0, self.cues - self.worth.final_cues)

    @property
    def open_solves(self) -> int:
        return max(0, self.solves - self.worth.final_solves)

    @property
    def is_empty(self) -> bool:
        return not (self.cues or self.solves)


@dataclass(frozen=True, kw_only=True)
class PastTurn:
    """A turn that is over, and what is known of it so far."""

    turn: Turn
    cue: str
    worth: TurnWorth | None

    @property
    def fool(self) -> Fraction | None:
        return domain.fool_mean(self.worth) if self.worth else None

    @property
    def solvable(self) -> Fraction | None:
        return domain.solvable_mean(self.worth) if self.worth else None

    @property
    def jaccard(self) -> Fraction | None:
        return domain.jaccard_mean(self.worth) if self.worth else None


def figures_of(player: Player) -> Figures:
    standing = player.standing
    return Figures(worth=standing.worth, cues=standing.cues, solves=standing.solves)


def figures_of_days(player: Player, *, now: datetime) -> tuple[Figures, Figures]:
    """Figures of today and yesterday, in the study's time zone: what was submitted or became final then."""
    zone = player.game.study.time_zone
    start, end = day_around(now, zone=zone)
    before, _ = day_around(start - timedelta(seconds=1), zone=zone)
    return _figures_between(player, start, end), _figures_between(player, before, start)


def recent_turns(player: Player) -> list[PastTurn]:
    """A player's latest turns, in five queries; of solves only what the game shows to solvers."""
    turns = Turn.objects.filter(player=player, status=Turn.Status.DONE).order_by("-pk")[:RECENT]
    rival_queries = Prefetch("assignment__rival_queries", RivalQuery.objects.order_by("slot"))
    leases = Prefetch("assignment__leases", Lease.objects.select_related("item__association").order_by("pk"))
    found = list(turns.select_related("assignment").prefetch_related(rival_queries, leases))
    worth = worth_of(Turn.objects.filter(pk__in=[turn.pk for turn in found]))
    tells = _tells_solvers(player)
    return [
        PastTurn(
            turn=turn,
            cue=_cue_of(turn),
            worth=worth.get(turn.pk) if turn.role == Turn.Role.CREATE or tells else None,
        )
        for turn in found
    ]


def _figures_between(player: Player, start: datetime, end: datetime) -> Figures:
    turns = Turn.objects.filter(player=player)
    final = turns.filter(counted_at__gte=start, counted_at__lt=end)
    ended: QuerySet[Turn] = turns.filter(status=Turn.Status.DONE, ended_at__gte=start, ended_at__lt=end)
    roles: Sequence[str] = list(ended.values_list("role", flat=True))
    return Figures(
        worth=sum(worth_of(final).values(), TurnWorth()),
        cues=roles.count(Turn.Role.CREATE),
        solves=roles.count(Turn.Role.SOLVE),
    )


def _tells_solvers(player: Player) -> bool:
    game = Game.objects.filter(study=player.game.study_id).first()
    return (game.feedback if game else Game.Feedback.FINAL) != Game.Feedback.NEVER


def _cue_of(turn: Turn) -> str:
    work = turn.assignment
    if turn.role == Turn.Role.CREATE:
        return next((rival_query.text for rival_query in work.rival_queries.all()), "")
    found: list[Association] = [lease.item.association for lease in work.leases.all()]
    return found[0].cue if found else ""
