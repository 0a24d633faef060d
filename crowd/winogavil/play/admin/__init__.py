"""Web games for researchers: open and close, what players agree to, who plays, what they think."""

from crowd.winogavil.play.admin import games, players

__all__ = ["games", "players"]
