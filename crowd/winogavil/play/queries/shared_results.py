"""What a shared turn shows to everybody: its score, and nothing that solvers are still asked about."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from crowd.pictures.models import Picture
from crowd.releases.licences import lets_pass_on
from crowd.winogavil.models import Association
from crowd.winogavil.play.models import Turn
from crowd.winogavil.play.queries.results import Result, may_see_solution, read_result
from crowd.winogavil.play.queries.worth import is_fit


@dataclass(frozen=True, kw_only=True)
class SharedResult:
    """A result without a name; `word` and pictures are empty while others may be asked about them."""

    turn: Turn
    result: Result
    # Credits that the pictures' licences ask for.
    credits: Sequence[str] = ()

    @property
    def word(self) -> str:
        return self.result.cue

    @property
    def image(self) -> str:
        """A picture for those who show the link; empty without one."""
        return next((picture.url for picture in self.result.pictures if picture.picked), "")


def find_shared(shared_as: UUID) -> SharedResult | None:
    """The turn with this address; None if it is not shared any more, unfit, or of an erased account."""
    shared = Turn.objects.filter(is_fit(), shared_as=shared_as, status=Turn.Status.DONE)
    players = shared.filter(player__erased_at=None).select_related("player__game__study", "assignment")
    turn = players.first()
    if turn is None:
        return None
    if turn.role == Turn.Role.SOLVE:
        # The word is another player's: of a solve only the figures are shown.
        return SharedResult(turn=turn, result=_without_word(read_result(turn, tells=may_see_solution(turn))))
    return _of_cue(turn)


def _of_cue(turn: Turn) -> SharedResult:
    result = read_result(turn, tells=True)
    pictures = list(Picture.objects.filter(pk__in=_pictures_of(turn)).order_by("pk"))
    if result.is_asked or _is_asked_anew(turn) or not all(map(_may_be_shown, pictures)):
        return SharedResult(turn=turn, result=_without_word(result))
    credited = dict.fromkeys(f"{one.credit or one.source} ({one.licence})" for one in pictures)
    return SharedResult(turn=turn, result=result, credits=list(credited))


def _without_word(result: Result) -> Result:
    return replace(result, cue="", pictures=(), others=())


def _is_asked_anew(turn: Turn) -> bool:
    """Whether a word with the same pictures is open somewhere else, as in a batch that asks it once more."""
    own = Association.objects.filter(item__rival_query__assignment=turn.assignment_id)
    again = Association.objects.filter(
        set_key__in=own.values("set_key"), cue__in=own.values("cue"), final_at=None
    )
    return again.exists()


def _pictures_of(turn: Turn) -> Sequence[int]:
    shown = Association.objects.filter(item__rival_query__assignment=turn.assignment_id)
    return list(shown.values_list("places__picture", flat=True))


def _may_be_shown(picture: Picture) -> bool:
    return picture.status == Picture.Status.FIT and lets_pass_on(picture.licence)
