"""Which associations of a study are meant, for pages, statistics and releases."""

from crowd.winogavil.queries.associations import final, of_study, selected

__all__ = ["final", "of_study", "selected"]
