"""What our page answers a worker for whom nothing is left, kept once for each assignment."""

from datetime import datetime

from hits.work.models.assignments import Assignment
from hits.work.models.nothing_left import NothingLeft


def note_nothing_left(*, assignment: Assignment, why: str, now: datetime) -> bool:
    """Keep why there was nothing. False if it is kept already: a reload says the same again."""
    _, is_new = NothingLeft.objects.get_or_create(assignment=assignment, defaults={"why": why, "at": now})
    return is_new
