"""Judgments of weird images: votes, which are counted whenever they are read."""

from collections.abc import Iterator, Mapping

from crowd.whoops import domain
from crowd.whoops.judge.services.posting_questions import post_questions
from crowd.whoops.judge.services.weird_normal_pairs import make_pairs
from crowd.whoops.models import Image
from crowd.whoops.models.judged_items import Question
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from scoring.models import Score
from scoring.queries.vote_tallies import tallies
from tests.crowd.whoops.making_questions import bring_in, make_partner
from tests.factories import NOW
from tests.promise.families.given import Ask, Given, Said
from tests.promise.families.images import make_any_image


def ask_answers(study: Study, author: Worker) -> None:
    image = make_any_image(study, author)
    _bring_in(image, domain.VERIFY, "question,answer", f"What pours number {image.number}?,A kettle")


def ask_captions(study: Study, author: Worker) -> None:
    _bring_in(make_any_image(study, author), domain.RATE, "variant,caption", "weird,A kettle pours sand.")


def ask_explanations(study: Study, author: Worker) -> None:
    """Ask at once, whether or not people have explained the image."""
    image = make_any_image(study, author)
    _bring_in(image, domain.EXPLAIN, "explanation", "Nobody drinks sand.", "Kettles are for tea.")
    post_questions(project=image.project, questions=list(image.questions.all()), now=NOW)


def ask_pairs(study: Study, author: Worker) -> None:
    """Ask about the image and its normal partner."""
    image = make_any_image(study, author)
    make_partner(image)
    make_pairs(project=image.project, wanted=99, seed=1, now=NOW)


ASKS: Mapping[str, Ask] = {
    domain.VERIFY: ask_answers,
    domain.RATE: ask_captions,
    domain.EXPLAIN: ask_explanations,
    domain.IDENTIFY: ask_pairs,
}
# Answers that mark an option, by task.
MARKS = {domain.VERIFY: "yes", domain.RATE: "yes", domain.IDENTIFY: "weird"}


def found() -> Iterator[str]:
    yield from ("a vote" for _ in Score.objects.filter(item__whoops_question__isnull=False)[:1])


def disagreements(given: Given) -> Iterator[str]:
    for question in Question.objects.filter(item__isnull=False).order_by("pk"):
        answers = given.get(question.item_id or 0, [])
        counted = tallies([question.item_id or 0])
        for option in question.options.all():
            tally = counted.pop((question.item_id or 0, option.measure), None)
            yes = sum(_marks(question.kind, one, option.number) for one in answers)
            votes = (tally.yes, tally.answers) if tally else (0, 0)
            if votes != (yes, len(answers)):
                yield f"question {question.pk} has the votes {votes}, and {yes} of {len(answers)} said so"
        yield from (f"there is no option for the votes on {name}" for name in counted)
        designer = question.image and question.image.designer.worker_id
        if designer in {one.worker for one in answers}:
            yield f"question {question.pk} was judged by whoever designed its image"


def _marks(kind: str, said: Said, number: int) -> bool:
    if kind == domain.EXPLAIN:
        return str(number) in said.raw["marked"].split()
    return bool(said.raw["pick"] == MARKS[kind])


def _bring_in(image: Image, kind: str, columns: str, *rows: str) -> None:
    lines = "".join(f"{image.number},{row},machine\n" for row in rows)
    bring_in(image.project, kind, f"image,{columns},source\n{lines}")
