from crowd.winogavil.models.associations import Association, Place, Solution
from crowd.winogavil.models.games import Game
from crowd.winogavil.models.picture_sets import Board, BoardPlace
from crowd.winogavil.models.reports import CueReport

__all__ = ["Association", "Board", "BoardPlace", "CueReport", "Game", "Place", "Solution"]
