"""The researchers' pages. Thin: validate, one call, render."""

from crowd.winoground.admin import projects

__all__ = ["projects"]
