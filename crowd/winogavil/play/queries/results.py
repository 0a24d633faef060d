"""Result of a finished turn, picture by picture: never more than its player may know at this moment."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from crowd.winogavil.models import Association, Game, PictureSetPlace
from crowd.winogavil.play.models import Turn
from scoring.domain import jaccard
from scoring.models import RivalQuery


@dataclass(frozen=True, kw_only=True)
class ResultPicture:
    """A picture of a result; `meant` by the author and `taken` by the model are None if not to be shown."""

    url: str
    picked: bool
    meant: bool | None
    taken: bool | None


@dataclass(frozen=True, kw_only=True)
class Result:
    cue: str
    pictures: Sequence[ResultPicture]
    fool: int | None = None
    solvable: Fraction | None = None
    jaccard: Fraction | None = None


def may_see_solution(turn: Turn) -> bool:
    """True if the player may see the solution, by the game's setting: never, once it is final, or at once."""
    game = Game.objects.filter(study=turn.player.game.study_id).first()
    feedback = game.feedback if game else Game.Feedback.FINAL
    if feedback == Game.Feedback.FINAL:
        return _solved(turn).final_at is not None if turn.role == Turn.Role.SOLVE else True
    return feedback == Game.Feedback.AT_ONCE


def read_result(turn: Turn, *, tells: bool) -> Result:
    return _of_solve(turn, tells=tells) if turn.role == Turn.Role.SOLVE else _of_cue(turn)


def _of_cue(turn: Turn) -> Result:
    rival_query = RivalQuery.objects.select_related("item__association").get(assignment=turn.assignment_id)
    verdict, association = rival_query.verdict, getattr(rival_query.item, "association", None)
    places = PictureSetPlace.objects.filter(picture_set__item__leases__assignment=turn.assignment_id)
    pictures = [
        ResultPicture(
            url=f"/pictures/{place.picture.key}/",
            picked=number in rival_query.chosen,
            meant=None,
            taken=number in verdict.places if verdict else None,
        )
        for number, place in enumerate(places.select_related("picture").order_by("position"))
    ]
    return Result(
        cue=rival_query.text,
        pictures=pictures,
        fool=verdict.fool_score if verdict else None,
        solvable=association.solvers_mean if association else None,
    )


def _of_solve(turn: Turn, *, tells: bool) -> Result:
    association = _solved(turn)
    picks = set((turn.assignment.answer or {}).get(str(association.item.public_id), ()))
    places = [place for place in association.places.select_related("picture") if place.picture]
    meant = {place.picture.key for place in places if place.picture and place.chosen}
    pictures = [
        ResultPicture(
            url=f"/pictures/{place.picture.key}/",
            picked=place.picture.key in picks,
            meant=place.chosen if tells else None,
            taken=None,
        )
        for place in places
        if place.picture
    ]
    return Result(cue=association.cue, pictures=pictures, jaccard=jaccard(picks, meant) if tells else None)


def _solved(turn: Turn) -> Association:
    return Association.objects.select_related("item").get(item__leases__assignment=turn.assignment_id)
