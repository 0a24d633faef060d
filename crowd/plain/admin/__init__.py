"""The researchers' pages. Thin: validate, one call, render."""

from crowd.plain.admin import projects

__all__ = ["projects"]
