"""The researchers' and payments staff's pages. Thin: validate, one call, render."""

from hits.admin import accounts, bonuses, studies, users, work

__all__ = ["accounts", "bonuses", "studies", "users", "work"]
