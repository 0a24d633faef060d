from crowd.winogavil.models.associations import Association, Place, Solution
from crowd.winogavil.models.games import Game
from crowd.winogavil.models.picture_sets import PictureSet, PictureSetPlace
from crowd.winogavil.models.reports import CueReport

__all__ = ["Association", "CueReport", "Game", "PictureSet", "PictureSetPlace", "Place", "Solution"]
