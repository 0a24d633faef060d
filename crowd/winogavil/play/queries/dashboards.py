"""A player's own figures, and what happened to their work day by day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

from django.db.models import Prefetch, QuerySet

from crowd.winogavil.models import Association, Game
from crowd.winogavil.play import domain
from crowd.winogavil.play.domain import TurnWorth
from crowd.winogavil.play.models import Player, Turn
from crowd.winogavil.play.queries.worth import is_fit, worth_of
from hits.core.domain.days import day_around
from hits.work.models.leases import Lease
from scoring.models import RivalQuery

RECENT = 10
# Turns that are not final yet, of which a player's page takes the latest into account.
MOST_WAITING = 200


@dataclass(frozen=True, kw_only=True)
class Early:
    """Scores of turns that are not final yet, as far as their player may know them."""

    cues: Sequence[int] = ()
    solves: Sequence[int] = ()

    @property
    def points(self) -> int:
        cues = sum(domain.points_of_turn(score, is_cue=True) for score in self.cues)
        return cues + sum(self.solves)


@dataclass(frozen=True, kw_only=True)
class Figures:
    """A player's figures; means are shares of one, and None while nothing is known."""

    worth: TurnWorth
    cues: int
    solves: int
    early: Early = Early()
    # Parts of turns that are not in the figures and never will be, such as those of withdrawn words.
    gone: Sequence[str] = ()

    @property
    def fool(self) -> Fraction | None:
        """Mean of all words that the model has answered, whether people have solved them or not."""
        count = self.worth.final_cues + len(self.early.cues)
        total = self.worth.fool_sum + sum(self.early.cues)
        return Fraction(total, domain.FULL_SCORE * count) if count else None

    @property
    def solvable(self) -> Fraction | None:
        return domain.solvable_mean(self.worth)

    @property
    def jaccard(self) -> Fraction | None:
        count = self.worth.final_solves + len(self.early.solves)
        total = Fraction(self.worth.jaccard_parts, domain.PARTS)
        total += Fraction(sum(self.early.solves), domain.FULL_SCORE)
        return total / count if count else None

    @property
    def points(self) -> int:
        return domain.game_points(self.worth) + self.early.points

    @property
    def level(self) -> domain.Level:
        return domain.level_of(self.points)

    @property
    def open_cues(self) -> int:
        return max(0, self.cues - self.worth.final_cues - self.gone.count(Turn.Role.CREATE))

    @property
    def open_solves(self) -> int:
        return max(0, self.solves - self.worth.final_solves - self.gone.count(Turn.Role.SOLVE))

    @property
    def is_empty(self) -> bool:
        return not (self.cues or self.solves)


@dataclass(frozen=True, kw_only=True)
class PastTurn:
    """A turn that is over, and what is known of it so far."""

    turn: Turn
    cue: str
    worth: TurnWorth | None
    # Whether the player may know the score of a solve that is not final.
    tells: bool

    @property
    def fool(self) -> Fraction | None:
        """How much the word fooled the model, which is known before people have solved it."""
        if self.worth:
            return domain.fool_mean(self.worth)
        return _share_of(self.turn.score)

    @property
    def solvable(self) -> Fraction | None:
        return domain.solvable_mean(self.worth) if self.worth else None

    @property
    def jaccard(self) -> Fraction | None:
        if self.worth:
            return domain.jaccard_mean(self.worth)
        return _share_of(self.turn.score) if self.tells else None


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Days and right solves in a row, up to this moment."""

    days: int = 0
    right: int = 0


def figures_of(player: Player) -> Figures:
    standing = player.standing
    gone = _done(player).filter(~is_fit(), counted_at=None).values_list("role", flat=True)
    return Figures(
        worth=standing.worth,
        cues=standing.cues,
        solves=standing.solves,
        early=_early_scores(player),
        gone=list(gone),
    )


def rows_of(player: Player, last: Turn | None, *, now: datetime) -> Rows:
    """What the player's last turn continues, if that is not over: a day without a turn ends the days."""
    if last is None or last.ended_at is None:
        return Rows()
    zone = ZoneInfo(player.game.study.time_zone)
    passed = now.astimezone(zone).date() - last.ended_at.astimezone(zone).date()
    return Rows(
        days=last.days_in_row if passed <= timedelta(days=1) else 0,
        right=last.right_in_row if _tells_at_once(player) else 0,
    )


def figures_of_days(player: Player, *, now: datetime) -> tuple[Figures, Figures]:
    """Figures of today and yesterday, in the study's time zone: what was submitted or became final then."""
    zone = player.game.study.time_zone
    start, end = day_around(now, zone=zone)
    before, _ = day_around(start - timedelta(seconds=1), zone=zone)
    return _figures_between(player, start, end), _figures_between(player, before, start)


def recent_turns(player: Player) -> list[PastTurn]:
    return past_turns(player, most=RECENT)


def past_turns(player: Player, *, most: int | None = None) -> list[PastTurn]:
    """A player's turns, the latest first, in few queries; of solves only what the game shows to solvers."""
    turns = _done(player).order_by("-pk")[:most]
    rival_queries = Prefetch("assignment__rival_queries", RivalQuery.objects.order_by("slot"))
    leases = Prefetch("assignment__leases", Lease.objects.select_related("item__association").order_by("pk"))
    found = list(turns.select_related("assignment").prefetch_related(rival_queries, leases))
    worth = worth_of(Turn.objects.filter(pk__in=[turn.pk for turn in found]))
    feedback = _feedback_of(player)
    tells = feedback != Game.Feedback.NEVER
    return [
        PastTurn(
            turn=turn,
            cue=_cue_of(turn),
            worth=worth.get(turn.pk) if turn.role == Turn.Role.CREATE or tells else None,
            tells=feedback == Game.Feedback.AT_ONCE,
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


def _early_scores(player: Player) -> Early:
    waiting = _done(player).filter(is_fit(), counted_at=None, score__isnull=False).order_by("-pk")
    found = waiting.values_list("role", "score")[:MOST_WAITING]
    scores = [(role, score) for role, score in found if score is not None]
    tells = _tells_at_once(player)
    return Early(
        cues=[score for role, score in scores if role == Turn.Role.CREATE],
        solves=[score for role, score in scores if role == Turn.Role.SOLVE and tells],
    )


def _done(player: Player) -> QuerySet[Turn]:
    return Turn.objects.filter(player=player, status=Turn.Status.DONE)


def _tells_at_once(player: Player) -> bool:
    return _feedback_of(player) == Game.Feedback.AT_ONCE


def _feedback_of(player: Player) -> str:
    """What solvers are shown; the study keeps its settings, so that a page reads them once."""
    game: Game | None = getattr(player.game.study, "game", None)
    return game.feedback if game else Game.Feedback.FINAL


def _share_of(score: int | None) -> Fraction | None:
    return None if score is None else Fraction(score, domain.FULL_SCORE)


def _cue_of(turn: Turn) -> str:
    work = turn.assignment
    if turn.role == Turn.Role.CREATE:
        return next((rival_query.text for rival_query in work.rival_queries.all()), "")
    found: list[Association] = [lease.item.association for lease in work.leases.all()]
    return found[0].cue if found else ""
