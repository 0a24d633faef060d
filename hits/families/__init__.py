"""How task families plug in: the interface they implement, and where they register."""

from hits.families.interface import Answer, Owed, Score, TaskFamily, TaskPage
from hits.families.registry import get, register, registered

__all__ = ["Answer", "Owed", "Score", "TaskFamily", "TaskPage", "get", "register", "registered"]
