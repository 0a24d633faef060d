"""Lines of the files, made one at a time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from crowd.plain.domain.answers import Value
from crowd.plain.domain.pages import Part
from crowd.plain.models import Description, Row
from crowd.plain.queries.results import AT_ONCE, AnsweredRow, Answers, QuestionResult, answered_rows, said_of
from hits.work.models.assignments import Assignment
from hits.work.services.counting_answers import CountingAnswer


@dataclass(frozen=True, kw_only=True)
class RowLine:
    row: Row
    answers: Answers

    def said(self, part: Part) -> QuestionResult:
        return said_of(part, self.answers)


@dataclass(frozen=True, kw_only=True)
class AnswerLine:
    row: Row
    answer: Mapping[str, Value]
    work: Assignment

    @property
    def version(self) -> int:
        return self.row.description.version


def read_rows(description: Description, *, everything: bool) -> Iterator[RowLine]:
    """Lines of rows; with `everything` also rows that nobody has answered."""
    for answered in answered_rows(description):
        if everything or answered.answers:
            yield RowLine(row=answered.row, answers=answered.answers)


def read_answers(description: Description, *, everything: bool) -> Iterator[AnswerLine]:
    found = answered_rows(description)
    while some := list(islice(found, AT_ONCE)):
        works = _works([given for answered in some for given in answered.given])
        for answered in some:
            yield from _lines(answered, works)


def _lines(answered: AnsweredRow, works: Mapping[int, Assignment]) -> Iterator[AnswerLine]:
    for given, answer in zip(answered.given, answered.answers, strict=True):
        yield AnswerLine(row=answered.row, answer=answer, work=works[given.assignment_id or 0])


def _works(given: Sequence[CountingAnswer]) -> Mapping[int, Assignment]:
    keys = {one.assignment_id for one in given if one.assignment_id}
    works = Assignment.objects.filter(pk__in=keys).select_related("worker")
    return {work.pk: work for work in works.only("submitted_at", "worker__public_id")}
