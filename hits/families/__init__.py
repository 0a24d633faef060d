"""How task families plug in: the interface they implement, and where they register."""

from hits.families.interface import Answer, Proposal, Score, TaskFamily, TaskPage
from hits.families.registry import (
    asks_anew,
    get,
    is_offered,
    is_test,
    judged_later,
    known_measures,
    offered,
    register,
    registered,
)

__all__ = [
    "Answer",
    "Proposal",
    "Score",
    "TaskFamily",
    "TaskPage",
    "asks_anew",
    "get",
    "is_offered",
    "is_test",
    "judged_later",
    "known_measures",
    "offered",
    "register",
    "registered",
]
