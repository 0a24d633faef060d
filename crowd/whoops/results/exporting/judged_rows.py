"""Rows of judged options and of votes, read in chunks so that memory stays flat."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from django.db.models import QuerySet

from crowd.whoops.judge.domain.votes import Votes
from crowd.whoops.judge.queries.questions import AWAY
from crowd.whoops.models import Image, Project
from crowd.whoops.models.judged_items import Option, Question
from hits.core.chunks import in_chunks
from hits.work.models.items import Item
from scoring.models import Score
from scoring.queries.vote_tallies import counting_scores, tallies

AT_ONCE = 1_000
Questions = QuerySet[Question]
NONE = Votes(yes=0, of=0)


@dataclass(frozen=True, kw_only=True)
class JudgedOption:
    """One option of a question, with its votes."""

    option: Option
    votes: Votes
    complete: bool

    @property
    def question(self) -> Question:
        return self.option.question

    @property
    def image_id(self) -> int | None:
        return self.question.image_id

    @property
    def image(self) -> Image | None:
        return self.question.image


def exported_questions(project: Project, *, everything: bool) -> Questions:
    """Questions that figures count; with `everything`, all that workers were ever asked."""
    asked = Question.objects.filter(project=project, item__isnull=False)
    return asked if everything else asked.filter(withdrawn_at=None).exclude(AWAY)


def read_options(project: Project, *, everything: bool) -> Iterator[JudgedOption]:
    options = Option.objects.filter(question__in=exported_questions(project, everything=everything))
    for some in in_chunks(options.select_related("question__image", "question__sample"), size=AT_ONCE):
        yield from with_votes(some, project)


def with_votes(options: Sequence[Option], project: Project) -> Iterator[JudgedOption]:
    """Yield the options of one chunk with their votes."""
    counted = tallies({one.question.item_id for one in options if one.question.item_id})
    for option in options:
        tally = counted.get((option.question.item_id or 0, option.measure))
        votes = Votes(yes=tally.yes, of=tally.answers) if tally else NONE
        yield JudgedOption(option=option, votes=votes, complete=votes.of >= project.judges_wanted)


def read_answers(project: Project, *, everything: bool) -> Iterator[Score]:
    """Every answer that counts, in the order in which they were recorded."""
    questions = exported_questions(project, everything=everything)
    items = Item.objects.filter(whoops_question__in=questions)
    counting = counting_scores(items).filter(denominator=1)
    related = counting.select_related("assignment__worker", "item__whoops_question").only(
        "measure",
        "numerator",
        "assignment__submitted_at",
        "assignment__worker__public_id",
        "item__id",
        "item__whoops_question__key",
        "item__whoops_question__kind",
    )
    return chain.from_iterable(in_chunks(related, size=AT_ONCE))
