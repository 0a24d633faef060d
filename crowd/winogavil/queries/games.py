from crowd.winogavil.models import Game
from hits.common.kept_queries import KeptQuery, given_id
from hits.studies.models import Study

GAME = KeptQuery(lambda: Game.objects.filter(study=given_id("study")))


def game_of(study: Study) -> Game:
    """The study's own settings of the game, or an unsaved row with the defaults."""
    return GAME.first(study=study.pk) or Game(study=study)


def threshold_of(study: Study) -> int:
    """The study's selection threshold, in per cent."""
    return game_of(study).selection_threshold
