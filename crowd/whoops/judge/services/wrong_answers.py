"""Answers that are wrong on purpose, beside the imported ones: drawn, stored, and withdrawn once right."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

from django.db.models import QuerySet

from crowd.whoops.images.services.locks import AT_ONCE
from crowd.whoops.images.services.withdrawal import follow_questions
from crowd.whoops.judge.domain.negatives import Negative, Triple, draw_negatives, negatives_wanted, plain
from crowd.whoops.judge.services.question_files import WRONG, NewQuestion
from crowd.whoops.models import Project
from crowd.whoops.models.judged_items import Option, Question

Kind = Question.Kind


def draw_wrong_answers(
    project: Project, new: Sequence[NewQuestion], *, seed: int, sampled: Collection[str] = ()
) -> tuple[int, list[Negative]]:
    """The number of wrong answers needed beside those that exist, and as many as can be drawn.

    `new`: rows that are about to be added and asked. `sampled`: keys of waiting questions that are about to
    be. Other questions that wait for a sample lend their answers, and get no wrong one.
    """
    options = list(_verified(project))
    standing_right = [one for one in options if one.label and one.question.withdrawn_at is None]
    right = [_triple(one) for one in standing_right]
    waiting = {
        one.question.key
        for one in standing_right
        if one.question.item_id is None and one.question.key not in sampled
    }
    triples = right + [
        Triple(key=one.key, image=str(one.image.pk), question=one.text, answer=one.answer) for one in new
    ]
    wrong = [one for one in options if one.label is False]
    made_right = _right_now(new)
    standing = [
        one
        for one in wrong
        if one.question.withdrawn_at is None and plain(one.text) not in made_right[one.question.image_id]
    ]
    asked = len(triples) - len(waiting)
    wanted = negatives_wanted(asked, per_cent=project.negatives) - len(standing)
    taken = {one.question.key.removesuffix(WRONG) for one in wrong} | waiting
    never: defaultdict[str, set[str]] = defaultdict(set)
    for one in options:
        # A withdrawn answer may be brought back, and nobody said that it is wrong.
        if one.label:
            never[str(one.question.image_id)].add(one.text)
    wanted = max(0, wanted)
    return wanted, draw_negatives(triples, wanted=wanted, seed=seed, taken=taken, never=never)


def withdraw_what_is_right(project: Project, new: Sequence[NewQuestion], *, now: datetime) -> None:
    """Withdraw answers that were drawn as wrong, and are now said to be right for the same image."""
    right = _right_now(new)
    keys = [
        one.question_id
        for one in _verified(project).filter(label=False, question__withdrawn_at=None)
        if plain(one.text) in right[one.question.image_id]
    ]
    Question.objects.filter(pk__in=keys).update(withdrawn_at=now)
    follow_questions(keys, now=now)


def _right_now(new: Sequence[NewQuestion]) -> defaultdict[int | None, set[str]]:
    right: defaultdict[int | None, set[str]] = defaultdict(set)
    for row in new:
        right[row.image.pk].add(plain(row.answer))
    return right


def _verified(project: Project) -> QuerySet[Option]:
    rows = Option.objects.filter(question__project=project, question__kind=Kind.VERIFY)
    return rows.select_related("question")


def _triple(option: Option) -> Triple:
    question = option.question
    return Triple(key=question.key, image=str(question.image_id), question=question.text, answer=option.text)


def store_wrong_answers(project: Project, drawn: Sequence[Negative], *, now: datetime) -> list[Question]:
    """Store wrong answers; each is in the sample of the right one that it stands beside."""
    keys = [key for one in drawn for key in (one.of.key, one.answer_of.key)]
    positives = {one.question.key: one for one in _verified(project).filter(question__key__in=keys)}
    questions = Question.objects.bulk_create(
        (
            Question(
                project=project,
                kind=Kind.VERIFY,
                key=f"{one.of.key}{WRONG}",
                image_id=positives[one.of.key].question.image_id,
                picture_id=positives[one.of.key].question.picture_id,
                text=one.of.question,
                added_at=now,
                sample_id=positives[one.of.key].question.sample_id,
                sample_place=positives[one.of.key].question.sample_place,
            )
            for one in drawn
        ),
        batch_size=AT_ONCE,
    )
    Option.objects.bulk_create(
        (
            Option(
                question=question,
                number=1,
                text=one.answer_of.answer,
                source=positives[one.answer_of.key].source,
                label=False,
            )
            for question, one in zip(questions, drawn, strict=True)
        ),
        batch_size=AT_ONCE,
    )
    return questions
