from crowd.winogavil.models import Game
from hits.studies.models import Study


def game_of(study: Study) -> Game:
    """The study's own settings of the game, or an unsaved row with the defaults."""
    return Game.objects.filter(study=study).first() or Game(study=study)


def threshold_of(study: Study) -> int:
    """The study's selection threshold, in per cent."""
    return game_of(study).selection_threshold
