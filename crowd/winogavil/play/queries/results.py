"""Result of a finished turn, picture by picture: never more than its player may know at this moment."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from crowd.winogavil.models import Association, Game, PictureSetPlace, Place
from crowd.winogavil.play import domain
from crowd.winogavil.play.models import Turn
from crowd.winogavil.queries.games import game_of
from scoring.domain import jaccard
from scoring.models import RivalQuery

# Solvers of a word, which has six at most.
MOST_OTHERS = 10


@dataclass(frozen=True, kw_only=True)
class ResultPicture:
    """A picture of a result; `meant` by the author and `taken` by the model are None if not to be shown."""

    url: str
    picked: bool
    meant: bool | None
    taken: bool | None

    @property
    def is_found(self) -> bool:
        """Whether the model took what was meant: of a word of one's own, what one chose oneself."""
        return bool(self.taken) and (self.picked if self.meant is None else self.meant)


@dataclass(frozen=True, kw_only=True)
class Result:
    cue: str
    pictures: Sequence[ResultPicture]
    fool: int | None = None
    solvable: Fraction | None = None
    jaccard: Fraction | None = None
    # Scores of other players who have solved the word, in per cent.
    others: Sequence[int] = ()
    # Whether others are still asked about the word: then it is shown to nobody else.
    is_asked: bool = True

    @property
    def is_right(self) -> bool:
        return self.jaccard == 1

    @property
    def points(self) -> int | None:
        """Points known by now: of a word the half that the model gives, until people have solved it."""
        if self.jaccard is not None:
            return int(domain.FULL_SCORE * self.jaccard)
        if self.fool is None or self.solvable is None:
            return None if self.fool is None else domain.points_of_turn(self.fool, is_cue=True)
        return domain.game_points(domain.worth_of_cue(fool=self.fool, solvable=self.solvable))

    @property
    def shows_model(self) -> bool:
        return any(picture.taken is not None for picture in self.pictures)

    @property
    def shows_meant(self) -> bool:
        return any(picture.meant is not None for picture in self.pictures)


def may_see_solution(turn: Turn) -> bool:
    """True if the player may see the solution, by the game's setting: never, once it is final, or at once."""
    feedback = game_of(turn.player.game.study).feedback
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
            url=_url_of(place.picture.key),
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
        is_asked=association is None or association.final_at is None,
    )


def _of_solve(turn: Turn, *, tells: bool) -> Result:
    association = _solved(turn)
    picks = set((turn.assignment.answer or {}).get(str(association.item.public_id), ()))
    places = association.places.select_related("picture")
    keys = {place.position: place.picture.key for place in places if place.picture}
    meant = {keys[place.position] for place in places if place.picture and place.chosen}
    return Result(
        cue=association.cue,
        pictures=[
            _picture_of_solve(place, keys[place.position], picks, tells=tells)
            for place in places
            if place.picture
        ],
        fool=association.fool_score if tells else None,
        jaccard=jaccard(picks, meant) if tells else None,
        others=_others(turn, association) if tells else (),
        is_asked=association.final_at is None,
    )


def _picture_of_solve(place: Place, key: str, picks: set[str], *, tells: bool) -> ResultPicture:
    return ResultPicture(
        url=_url_of(key),
        picked=key in picks,
        meant=place.chosen if tells else None,
        taken=place.predicted if tells else None,
    )


def _others(turn: Turn, association: Association) -> list[int]:
    """Scores of the other players who have solved this word by now, the best first."""
    solved = Turn.objects.filter(
        role=Turn.Role.SOLVE, status=Turn.Status.DONE, assignment__leases__item=association.item_id
    )
    scores = solved.exclude(pk=turn.pk).filter(score__isnull=False).order_by("-score")
    return [score for score in scores.values_list("score", flat=True)[:MOST_OTHERS] if score is not None]


def _url_of(key: str) -> str:
    return f"/pictures/{key}/480/"


def _solved(turn: Turn) -> Association:
    return Association.objects.select_related("item").get(item__leases__assignment=turn.assignment_id)
