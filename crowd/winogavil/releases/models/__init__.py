from crowd.winogavil.releases.models.items import ReleaseItem
from crowd.winogavil.releases.models.statistics import Statistics

__all__ = ["ReleaseItem", "Statistics"]
