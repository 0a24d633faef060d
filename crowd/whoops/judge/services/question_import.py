"""Imports of what is judged: shown first, asked after a confirmation; the same rows again add nothing."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from crowd.whoops.images.services.locks import AT_ONCE
from crowd.whoops.images.services.withdrawal import follow_questions
from crowd.whoops.judge.domain.negatives import Negative, Triple, draw_negatives, negatives_wanted, plain
from crowd.whoops.judge.services.explanation_lists import add_offers, lists_of, new_offers
from crowd.whoops.judge.services.posting_questions import post_questions
from crowd.whoops.judge.services.question_files import (
    WRONG,
    NewQuestion,
    known_keys,
    read_explanations,
    read_questions,
)
from crowd.whoops.models import Image, Project
from crowd.whoops.models.judged_items import Option, Question
from hits.work.services.locking import held

Kind = Question.Kind


@dataclass(frozen=True, kw_only=True)
class Preview:
    """What an import would add."""

    new: int
    known: int
    images: int
    # For questions with answers: how many wrong ones are mixed in, and how many should be.
    negatives: int = 0
    negatives_wanted: int = 0
    # Some of the new rows, as they would be shown.
    sample: Sequence[tuple[Image, str, str, str]] = ()


SHOWN = 8


def preview_import(*, project: Project, kind: str, text: str, seed: int, waits: bool = False) -> Preview:
    """Read an import without adding it. Raises InvalidItems, which names every bad line."""
    if kind == Kind.EXPLAIN:
        return _preview_explanations(project, text)
    rows = read_questions(text, kind=kind, project=project)
    known = known_keys(project, kind=kind)
    new = [row for row in rows if row.key not in known]
    mixes = kind == Kind.VERIFY and not waits
    wanted, drawn = draw_wrong_answers(project, new, seed=seed) if mixes else (0, [])
    return Preview(
        new=len(new),
        known=len(rows) - len(new),
        images=len({row.image.pk for row in new}),
        negatives=len(drawn),
        negatives_wanted=wanted,
        sample=[(row.image, row.text, row.answer, row.source) for row in new[:SHOWN]],
    )


def import_rows(*, project: Project, kind: str, text: str, seed: int, now: datetime) -> int:
    """Import rows, and return how many are new. Raises InvalidItems with every bad line; adds none then.

    `waits`: nobody is asked about them before a sample of them is drawn.
    """
    with held(project) as locked:
        if kind == Kind.EXPLAIN:
            offers = read_explanations(text, project=locked)
            return add_offers(project=locked, offers=offers, now=now)
        rows = read_questions(text, kind=kind, project=locked)
        known = known_keys(locked, kind=kind)
        new = [row for row in rows if row.key not in known]
        drawn: Sequence[Negative] = ()
        if kind == Kind.VERIFY:
            withdraw_what_is_right(locked, new, now=now)
        if kind == Kind.VERIFY and not waits:
            _, drawn = draw_wrong_answers(locked, new, seed=seed)
        questions = _store(locked, kind, new, now=now)
        questions += store_wrong_answers(locked, drawn, now=now)
        if not waits:
            post_questions(project=locked, questions=questions, now=now)
    return len(new)


def _preview_explanations(project: Project, text: str) -> Preview:
    offers = read_explanations(text, project=project)
    lists = lists_of(project, list(offers))
    new = {image: new_offers(own, lists.of.get(image.pk, ())) for image, own in offers.items()}
    added = [(image, "", offer.text, offer.source) for image, own in new.items() for offer in own]
    return Preview(
        new=len(added),
        known=sum(map(len, offers.values())) - len(added),
        images=sum(bool(own) for own in new.values()),
        sample=added[:SHOWN],
    )


def _store(project: Project, kind: str, rows: Sequence[NewQuestion], *, now: datetime) -> list[Question]:
    questions = Question.objects.bulk_create(
        (
            Question(
                project=project,
                kind=kind,
                key=row.key,
                image=row.image,
                variant=row.variant,
                picture_id=row.picture_id,
                text=row.text,
                added_at=now,
            )
            for row in rows
        ),
        batch_size=AT_ONCE,
    )
    # An imported answer is taken for right; of captions nobody knows it.
    label = True if kind == Kind.VERIFY else None
    Option.objects.bulk_create(
        (
            Option(question=question, number=1, text=row.answer, source=row.source, label=label)
            for question, row in zip(questions, rows, strict=True)
        ),
        batch_size=AT_ONCE,
    )
    return questions


def draw_wrong_answers(
    project: Project, new: Sequence[NewQuestion], *, seed: int
) -> tuple[int, list[Negative]]:
    """How many are wanted beside those that are there, and as many as can be drawn."""
    options = _verified(project)
    right = [_triple(one) for one in options if one.label and one.question.withdrawn_at is None]
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
    wanted = negatives_wanted(len(triples), per_cent=project.negatives) - len(standing)
    taken = {one.question.key.removesuffix(WRONG) for one in wrong}
    never: defaultdict[str, set[str]] = defaultdict(set)
    for one in options:
        # Taken back, it may come back; and nobody said that it is wrong.
        if one.label:
            never[str(one.question.image_id)].add(one.text)
    wanted = max(0, wanted)
    return wanted, draw_negatives(triples, wanted=wanted, seed=seed, taken=taken, never=never)


def withdraw_what_is_right(project: Project, new: Sequence[NewQuestion], *, now: datetime) -> None:
    """An answer drawn as wrong before, and said to be right for the same image now."""
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
