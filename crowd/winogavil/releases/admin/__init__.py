from crowd.winogavil.releases.admin import panels
from crowd.winogavil.releases.admin.releases import ReleaseAdmin
from crowd.winogavil.releases.admin.statistics import StatisticsAdmin

__all__ = ["ReleaseAdmin", "StatisticsAdmin", "panels"]
