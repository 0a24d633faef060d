from scoring.admin import (
    model_questions,
    quality_pages,
    rival_facts,
    rivals,
    studies,
    verdicts,
    worker_scores,
)

__all__ = [
    "model_questions",
    "quality_pages",
    "rival_facts",
    "rivals",
    "studies",
    "verdicts",
    "worker_scores",
]
