"""Imports of what is judged: shown first, asked after a confirmation; the same rows again add nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from crowd.whoops.images.services.locks import AT_ONCE
from crowd.whoops.judge.domain.negatives import Negative
from crowd.whoops.judge.services.explanation_lists import add_offers, lists_of, new_offers
from crowd.whoops.judge.services.posting_questions import post_questions
from crowd.whoops.judge.services.question_files import (
    NewQuestion,
    known_keys,
    read_explanations,
    read_questions,
)
from crowd.whoops.judge.services.wrong_answers import (
    draw_wrong_answers,
    store_wrong_answers,
    withdraw_what_is_right,
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


def import_rows(
    *, project: Project, kind: str, text: str, seed: int, now: datetime, waits: bool = False
) -> int:
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
        questions = store_rows(locked, kind, new, now=now)
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


def store_rows(project: Project, kind: str, rows: Sequence[NewQuestion], *, now: datetime) -> list[Question]:
    """Store new rows with their options, and return the questions. The caller holds the project."""
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
