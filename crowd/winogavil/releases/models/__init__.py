from crowd.winogavil.releases.models.statistics import Statistics

__all__ = ["Statistics"]
