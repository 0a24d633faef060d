from crowd.winogavil.releases.admin import cards
from crowd.winogavil.releases.admin.predictions import PredictionAdmin
from crowd.winogavil.releases.admin.statistics import StatisticsAdmin

__all__ = ["PredictionAdmin", "StatisticsAdmin", "cards"]
