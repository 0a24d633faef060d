from scoring.models.embeddings import PoolPicture, Space, Vector, VocabularyWord
from scoring.models.model_questions import ModelQuestion
from scoring.models.rivals import RegisteredRival, StudyRival
from scoring.models.scores import Score
from scoring.models.verdicts import PendingQuery, RivalQuery, Verdict

__all__ = [
    "ModelQuestion",
    "PendingQuery",
    "PoolPicture",
    "RegisteredRival",
    "RivalQuery",
    "Score",
    "Space",
    "StudyRival",
    "Vector",
    "Verdict",
    "VocabularyWord",
]
