from crowd.winogavil.releases.models.items import ReleaseItem
from crowd.winogavil.releases.models.predictions import Prediction, Tally
from crowd.winogavil.releases.models.statistics import Statistics

__all__ = ["Prediction", "ReleaseItem", "Statistics", "Tally"]
