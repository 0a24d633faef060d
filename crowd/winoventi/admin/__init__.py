"""The researchers' pages of the exception procedure. Thin: validate, one call, render."""

from crowd.winoventi.admin import lists, projects

__all__ = ["lists", "projects"]
