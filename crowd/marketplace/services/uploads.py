"""Files that workers submit with a QuestionForm."""

from collections.abc import Mapping
from datetime import datetime

from crowd.marketplace.database import atomic
from crowd.marketplace.models import Assignment, Upload
from crowd.marketplace.questions.filled_forms import File, FilledAnswer
from crowd.marketplace.services import work


def submit_form(
    *, assignment: Assignment, answer: str, given: Mapping[str, FilledAnswer], now: datetime
) -> bool:
    """Submit the answer and its files, or neither: False if the assignment was no longer open."""
    with atomic():
        if not work.submit_assignment(assignment=assignment, answer=answer, now=now):
            return False
        files = {question: one.file for question, one in given.items() if one.file}
        _keep(assignment, files)
    return True


def find_upload(*, assignment: Assignment, question: str) -> Upload | None:
    return Upload.objects.filter(assignment=assignment, question=question).first()


def _keep(assignment: Assignment, files: Mapping[str, File]) -> None:
    Upload.objects.bulk_create(
        Upload(assignment=assignment, question=question, name=file.name, content=file.content)
        for question, file in files.items()
    )
