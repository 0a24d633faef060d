from crowd.winogavil.models import Game
from hits.studies.models import Study


def game_of(study: Study) -> Game:
    """The study's own settings of the game, or an unsaved row with the defaults."""
    return Game.objects.filter(study=study).first() or Game(study=study)
