from crowd.winogavil.models import Game
from hits.studies.models import Study


def game_of(study: Study) -> Game:
    """Its own settings, or the defaults."""
    return Game.objects.filter(study=study).first() or Game(study=study)
