from crowd.winoground.models.examples import Example, GenderedConfirmation, Pairing, Tag
from crowd.winoground.models.onboarding import FirstQuestion, SecondChance
from crowd.winoground.models.projects import Project

__all__ = [
    "Example",
    "FirstQuestion",
    "GenderedConfirmation",
    "Pairing",
    "Project",
    "SecondChance",
    "Tag",
]
