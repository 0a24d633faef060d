from scoring.models.embeddings import PoolPicture, Space, Vector
from scoring.models.rivals import RegisteredRival, StudyRival
from scoring.models.scores import Score
from scoring.models.text_questions import TextQuestion
from scoring.models.verdicts import PendingQuery, RivalQuery, Verdict

__all__ = [
    "PendingQuery",
    "PoolPicture",
    "RegisteredRival",
    "RivalQuery",
    "Score",
    "Space",
    "StudyRival",
    "TextQuestion",
    "Vector",
    "Verdict",
]
