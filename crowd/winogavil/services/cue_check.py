"""The game's rules for a word, in the words of who invents one: for workers and for players alike."""

from collections.abc import Collection

from django.utils.translation import gettext as _

from crowd.pictures.profanity import is_profane
from crowd.winogavil import domain
from crowd.winogavil.models import Game
from hits.core.errors import InvalidAnswer


def check_cue(cue: str, *, chosen: int, concepts: Collection[str], game: Game) -> None:
    """Check a word for so many of the pictures that show these concepts. Raises InvalidAnswer."""
    if not domain.is_cue(cue, inner_marks=game.inner_marks):
        raise InvalidAnswer(
            _("Write one word of 2 to 30 letters. Hyphens and apostrophes may stand within it.")
            if game.inner_marks
            else _("Write one word of 2 to 30 letters.")
        )
    if not domain.may_choose(candidates=len(concepts), chosen=chosen):
        message = _("Of %(candidates)d pictures, 2 to %(most)d may be chosen.")
        raise InvalidAnswer(
            message % {"candidates": len(concepts), "most": domain.MOST_CHOSEN.get(len(concepts), 2)}
        )
    if is_profane(cue):
        raise InvalidAnswer(_("This word is too coarse to be shown to others. Find another one."))
    if not game.names_allowed and domain.is_name_of(cue, concepts):
        raise InvalidAnswer(_("The word names one of the pictures. Find a word that only hints at them."))
