"""Web games for researchers: open and close, what players agree to, who plays, what they think."""

from crowd.winogavil.play.admin import games, panels, players

__all__ = ["games", "panels", "players"]
