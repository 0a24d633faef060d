"""The association game for researchers: its rules, its picture sets, what was made of them and reported."""

from crowd.winogavil.admin import associations, cards, games, picture_sets, reports

__all__ = ["associations", "cards", "games", "picture_sets", "reports"]
