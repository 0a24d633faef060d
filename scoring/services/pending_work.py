"""The queues of questions to models, and when they are due. Also read by processes that load no model."""

from datetime import datetime, timedelta

from django.db.models import Min, QuerySet

from scoring.models import PendingQuery
from scoring.models.model_questions import ModelQuestion
from scoring.queries.pool_coverage import is_pool_known
from scoring.services.rival_selection import NoRival, rivals_with_vectors
from scoring.services.vocabulary import is_all_read

# How long a rival rests that could not read the pool: its weights are missing, or the memory was full.
REST = timedelta(minutes=1)
# The pause between two tries of a question that could not be answered.
FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(hours=1)


def pause_after(tries: int) -> timedelta:
    """Pause before the next try, each twice as long as the one before, up to an hour."""
    doubled: timedelta = FIRST_PAUSE * 2 ** min(tries, 10)
    return min(doubled, LONGEST_PAUSE)


def next_answer(*, now: datetime) -> datetime | None:
    """When the next question to a rival is tried, for the first time or again."""
    by_urgency = (PendingQuery.objects.filter(is_urgent=is_urgent) for is_urgent in (True, False))
    firsts = [rows.aggregate(first=Min("try_at"))["first"] for rows in by_urgency]
    return min((first for first in firsts if first), default=None)


def next_filling(*, now: datetime) -> datetime | None:
    """When a rival that could not read all pictures of the pool tries again; None if all could."""
    try:
        rivals = rivals_with_vectors()
    except NoRival:
        return None
    return None if all(is_pool_known(rival) for rival in rivals) else now + REST


def next_reading(*, now: datetime) -> datetime | None:
    """When a rival that could not read the whole vocabulary tries again; None if all have."""
    return None if is_all_read() else now + REST


def questions_waiting() -> QuerySet[ModelQuestion]:
    return ModelQuestion.objects.filter(status=ModelQuestion.Status.WAITING)


def next_question_answer(*, now: datetime) -> datetime | None:
    """When the next question to a language model is tried, for the first time or again."""
    first: datetime | None = questions_waiting().aggregate(first=Min("try_at"))["first"]
    return first
