"""Researchers' pages of caption matching. Thin: validate, one call, render."""

from crowd.winoground.admin import examples, projects, tags

__all__ = ["examples", "projects", "tags"]
