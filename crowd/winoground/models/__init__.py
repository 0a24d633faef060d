from crowd.winoground.models.examples import Example, Pairing, Tag
from crowd.winoground.models.onboarding import FirstQuestion, SecondChance
from crowd.winoground.models.projects import Project
from crowd.winoground.models.scores import ModelScore, ModelScores

__all__ = [
    "Example",
    "FirstQuestion",
    "ModelScore",
    "ModelScores",
    "Pairing",
    "Project",
    "SecondChance",
    "Tag",
]
