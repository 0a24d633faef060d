"""Web games in the admin: opening and closing, consent texts, players and surveys."""

from crowd.winogavil.play.admin import cards, games, players

__all__ = ["cards", "games", "players"]
