"""Leaderboards, read from kept figures: a page costs the same however much was played."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from django.db.models import Q, QuerySet

from crowd.winogavil.play import domain
from crowd.winogavil.play.models import Player, Standing, WebGame

A_PAGE = 50
TOP = 3


class Kind(StrEnum):
    CREATORS = "creators"
    SOLVERS = "solvers"

    @property
    def points(self) -> str:
        return "creator_points" if self == Kind.CREATORS else "solver_points"

    @property
    def tally(self) -> str:
        """Field that counts final work; it decides among equal points, and after it who registered first."""
        return "final_cues" if self == Kind.CREATORS else "final_solves"


@dataclass(frozen=True, kw_only=True)
class Row:
    place: int
    name: str
    count: int
    points: Fraction
    fool: Fraction | None
    solvable: Fraction | None
    is_own: bool


@dataclass(frozen=True, kw_only=True)
class Leaderboard:
    kind: Kind
    rows: Sequence[Row]
    total: int
    page: int
    pages: int
    # None: this player has no place yet.
    own_place: int | None

    @property
    def own_page(self) -> int | None:
        return None if self.own_place is None else (self.own_place - 1) // A_PAGE + 1


def read_leaderboard(*, game: WebGame, kind: Kind, number: int, player: Player) -> Leaderboard:
    """Read one page of a leaderboard in three queries; a number too large gives the last page."""
    ranked = _ranked(game, kind)
    total = ranked.count()
    pages = max(1, -(-total // A_PAGE))
    page = min(max(1, number), pages)
    first = (page - 1) * A_PAGE
    standings = _in_order(ranked, kind)
    rows = [
        _row(standing, kind, place=place, player=player)
        for place, standing in enumerate(standings[first : first + A_PAGE], start=first + 1)
    ]
    own_place = place_of(player, kind=kind)
    return Leaderboard(kind=kind, rows=rows, total=total, page=page, pages=pages, own_place=own_place)


def best_scores(game: WebGame, *, kind: Kind) -> list[int]:
    """The best scores, in whole per cent and without the names: those are for players alone."""
    points = _in_order(_ranked(game, kind), kind).values_list(kind.points, flat=True)[:TOP]
    return [domain.FULL_SCORE * (each or 0) // domain.POINTS for each in points]


def place_of(player: Player, *, kind: Kind) -> int | None:
    """The player's place, in one query; None, without any, before there is enough for a place."""
    game, own = player.game, player.standing
    points, count = getattr(own, kind.points), getattr(own, kind.tally)
    if points is None or count < game.fewest_final:
        return None
    level = {kind.points: points}
    ahead = (
        Q(**{f"{kind.points}__gt": points})
        | Q(**level, **{f"{kind.tally}__gt": count})
        | Q(**level, **{kind.tally: count}, player__lt=own.pk)
    )
    return _ranked(game, kind).filter(ahead).count() + 1


def _ranked(game: WebGame, kind: Kind) -> QuerySet[Standing]:
    enough = {f"{kind.points}__isnull": False, f"{kind.tally}__gte": game.fewest_final}
    return Standing.objects.filter(game=game, **enough)


def _in_order(ranked: QuerySet[Standing], kind: Kind) -> QuerySet[Standing]:
    return ranked.order_by(f"-{kind.points}", f"-{kind.tally}", "player").select_related("player")


def _row(standing: Standing, kind: Kind, *, place: int, player: Player) -> Row:
    worth = standing.worth
    return Row(
        place=place,
        name=standing.player.name,
        count=getattr(standing, kind.tally),
        points=Fraction(getattr(standing, kind.points), domain.POINTS),
        fool=domain.fool_mean(worth),
        solvable=domain.solvable_mean(worth),
        is_own=standing.pk == player.pk,
    )
