"""Associations of a study, as pages, statistics and releases choose them."""

from crowd.winogavil.queries.associations import BY_CHOICE, final, of_study, reaches, reaches_own, selected
from crowd.winogavil.queries.games import game_of, threshold_of

__all__ = [
    "BY_CHOICE",
    "final",
    "game_of",
    "of_study",
    "reaches",
    "reaches_own",
    "selected",
    "threshold_of",
]
