from crowd.winogavil.releases.admin import cards
from crowd.winogavil.releases.admin.statistics import StatisticsAdmin

__all__ = ["StatisticsAdmin", "cards"]
