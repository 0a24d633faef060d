"""Associations of a study, as pages, statistics and releases choose them."""

from crowd.winogavil.queries.associations import BY_CHOICE, final, of_study, selected

__all__ = ["BY_CHOICE", "final", "of_study", "selected"]
