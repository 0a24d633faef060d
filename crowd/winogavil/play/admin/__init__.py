"""Web games for researchers: open and close, what players agree to, who plays, what they think."""

from crowd.winogavil.play.admin import cards, games, players

__all__ = ["cards", "games", "players"]
