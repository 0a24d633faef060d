"""What people judged as rows: each thing that was judged with its votes, and each vote."""

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from crowd.whoops.domain.votes import Votes
from crowd.whoops.models import Option, Project, Question
from crowd.whoops.queries.questions import AWAY
from hits.datasets.columns import utc_text
from hits.exports import Naming
from hits.models import Item
from scoring.queries.voting import counting_scores, tallies

AT_ONCE = 1_000
Questions = QuerySet[Question]


def exported_questions(project: Project, *, everything: bool) -> Questions:
    """Those that figures count; or all that workers were ever asked, too."""
    asked = Question.objects.filter(project=project, item__isnull=False)
    return asked if everything else asked.filter(withdrawn_at=None).exclude(AWAY)


def options_of(questions: Questions) -> QuerySet[Option]:
    return Option.objects.filter(question__in=questions)


def question_rows(project: Project, questions: Questions) -> Iterator[dict[str, Any]]:
    """A row for each option of a question."""
    related = options_of(questions).select_related("question__image").order_by("pk")
    after = 0
    while some := list(related.filter(pk__gt=after)[:AT_ONCE]):
        after = some[-1].pk
        counted = tallies({one.question.item_id for one in some if one.question.item_id})
        for option in some:
            tally = counted.get((option.question.item_id or 0, option.measure))
            votes = Votes(yes=tally.yes, of=tally.answers) if tally else Votes(yes=0, of=0)
            yield _row(option, votes, wanted=project.judges_wanted)


def answer_rows(questions: Questions, *, naming: Naming) -> Iterator[dict[str, Any]]:
    """Every answer that counts, in the order in which they were recorded."""
    items = Item.objects.filter(whoops_question__in=questions)
    counting = counting_scores(items).filter(denominator=1).order_by("pk")
    related = counting.select_related("assignment__worker", "item__whoops_question").only(
        "measure",
        "numerator",
        "assignment__submitted_at",
        "assignment__worker__public_id",
        "item__id",
        "item__whoops_question__key",
        "item__whoops_question__kind",
    )
    after = 0
    while some := list(related.filter(pk__gt=after)[:AT_ONCE]):
        after = some[-1].pk
        for score in some:
            question = score.item.whoops_question
            yield {
                "question": question.key,
                "kind": kind_of(question),
                "option": int(score.measure.rpartition("-")[2]),
                "yes": bool(score.numerator),
                "by": naming.person(score.assignment.worker.public_id),
                "at": utc_text(score.assignment.submitted_at),
            }


def kind_of(question: Question) -> str:
    """Of “whoops.captions” it is “captions”."""
    return question.kind.rpartition(".")[2]


def _row(option: Option, votes: Votes, *, wanted: int) -> dict[str, Any]:
    question, is_complete = option.question, votes.of >= wanted
    return {
        "question": question.key,
        "kind": kind_of(question),
        "image": str(question.image.public_id) if question.image else "",
        "number": question.image.number if question.image else None,
        "variant": question.variant,
        "text": question.text,
        "option": option.number,
        "option_text": option.text,
        "source": option.source,
        "label": option.label,
        "yes": votes.yes,
        "answers": votes.of,
        "majority": votes.majority if is_complete else None,
        "complete": is_complete,
    }
