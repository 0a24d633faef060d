"""Questions that language models have not answered yet."""

from scoring.models import RegisteredRival
from scoring.models.text_questions import TextQuestion


def texts_waiting(rival: RegisteredRival) -> tuple[int, int]:
    """How many questions wait for the rival, and how many of them have failed before or for good."""
    open_ones = TextQuestion.objects.filter(rival=rival, status__in=("waiting", "failed"))
    return open_ones.count(), open_ones.exclude(problem="").count()
