from crowd.winogavil.releases.models.concreteness import ConcretenessList
from crowd.winogavil.releases.models.statistics import Statistics

__all__ = ["ConcretenessList", "Statistics"]
