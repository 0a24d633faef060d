"""The researchers' pages. Thin: validate, one call, render."""

from crowd.whoops.admin import projects

__all__ = ["projects"]
