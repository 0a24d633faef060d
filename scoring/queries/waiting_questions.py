"""Questions that language models have not answered yet."""

from scoring.models import RegisteredRival
from scoring.models.model_questions import ModelQuestion


def questions_waiting(rival: RegisteredRival) -> tuple[int, int]:
    """How many questions wait for the rival, and how many of them have failed before or for good."""
    open_ones = ModelQuestion.objects.filter(rival=rival, status__in=("waiting", "failed"))
    return open_ones.count(), open_ones.exclude(problem="").count()
