"""Which associations of a study are meant, for pages, statistics and releases."""

from crowd.winogavil.queries.associations import BY_CHOICE, final, of_study, selected

__all__ = ["BY_CHOICE", "final", "of_study", "selected"]
