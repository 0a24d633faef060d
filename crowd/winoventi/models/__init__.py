from crowd.winoventi.models.alternatives import Alternative, FilterScore, triplet_key
from crowd.winoventi.models.evaluations import Evaluation, ModelAnswer, valid_pairs
from crowd.winoventi.models.generics import Generic, Noun, Reading
from crowd.winoventi.models.model_runs import ModelRun
from crowd.winoventi.models.premises import Choice, Judgement, Premise, Prompt
from crowd.winoventi.models.projects import PieceScoring, Project, Step
from crowd.winoventi.models.walks import Walk
from crowd.winoventi.models.word_tags import WordTag

__all__ = [
    "Alternative",
    "Choice",
    "Evaluation",
    "FilterScore",
    "Generic",
    "Judgement",
    "ModelAnswer",
    "ModelRun",
    "Noun",
    "PieceScoring",
    "Premise",
    "Project",
    "Prompt",
    "Reading",
    "Step",
    "Walk",
    "WordTag",
    "triplet_key",
    "valid_pairs",
]
