"""Model questions as plain values. A question asked twice is one row and has one answer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import Any

import structlog
from django.db import transaction
from django.db.models import QuerySet

from hits.core.errors import RuleBroken
from scoring.models import RegisteredRival
from scoring.models.model_questions import ModelQuestion
from scoring.services.asking_rivals import ShownPicture

AT_ONCE = 500
Kind = ModelQuestion.Kind
Status = ModelQuestion.Status
# What to choose instead of a model of another kind.
CHOICES = {
    Kind.TOP_WORDS: "a masked language model",
    Kind.PROBABILITIES: "a masked language model",
    Kind.PERPLEXITIES: "a causal language model",
    Kind.PARTS: "a tagger",
    Kind.SCORES: "a model that scores texts against pictures",
    Kind.WORDS: "a model that says words about a picture",
    Kind.LIKENESS: "a model that embeds texts and pictures apart",
    Kind.REGIONS: "a cross-encoder",
    Kind.CONTINUATIONS: "a causal language model",
    Kind.QUESTIONS: "a tagger",
}
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class NewQuestion:
    """One question, made by the functions below."""

    kind: str
    input: Mapping[str, Any]

    @cached_property
    def key(self) -> str:
        asked = json.dumps([self.kind, self.input], sort_keys=True, ensure_ascii=False)
        return sha256(asked.encode()).hexdigest()


def top_words(prompt: str, *, k: int) -> NewQuestion:
    """Ask for the k words that fill the prompt's gap best."""
    return NewQuestion(kind=Kind.TOP_WORDS.value, input={"prompt": prompt, "k": k})


def probabilities(prompt: str, words: Sequence[str], *, as_one_token: bool = False) -> NewQuestion:
    """Ask how probable each word is in the prompt's gap, scored properly or looked up as one token."""
    asked = {"prompt": prompt, "words": list(words), "as_one_token": as_one_token}
    return NewQuestion(kind=Kind.PROBABILITIES.value, input=asked)


def perplexity(text: str) -> NewQuestion:
    return NewQuestion(kind=Kind.PERPLEXITIES.value, input={"text": text})


def part_of_speech(text: str, *, start: int, end: int) -> NewQuestion:
    """Ask for the part of speech of the word that stands in these places of the text."""
    return NewQuestion(kind=Kind.PARTS.value, input={"text": text, "start": start, "end": end})


def scores(texts: Sequence[str], pictures: Sequence[ShownPicture], *, are_cues: bool = False) -> NewQuestion:
    """Ask how well each text fits each picture. A cue is read within the model's own prompt."""
    shown = [{"sha256": one.sha256, "caption": one.caption} for one in pictures]
    return NewQuestion(
        kind=Kind.SCORES.value, input={"texts": list(texts), "pictures": shown, "are_cues": are_cues}
    )


def words(prompt: str, picture: ShownPicture) -> NewQuestion:
    """Ask what the model says about the picture, after the prompt; without one it describes the picture."""
    shown = [{"sha256": picture.sha256, "caption": picture.caption}]
    return NewQuestion(kind=Kind.WORDS.value, input={"prompt": prompt, "pictures": shown})


def likeness(one: str | ShownPicture, others: Sequence[str | ShownPicture]) -> NewQuestion:
    """Ask how like each of the others one is: texts, each read within the model's own prompt, or pictures."""
    asked = {"one": _side(one), "others": [_side(other) for other in others]}
    return NewQuestion(kind=Kind.LIKENESS.value, input=asked)


def _side(side: str | ShownPicture) -> dict[str, str]:
    return {"text": side} if isinstance(side, str) else {"sha256": side.sha256, "caption": side.caption}


def regions(text: str, picture: ShownPicture) -> NewQuestion:
    """Ask which words of the text meet which regions of the picture."""
    shown = [{"sha256": picture.sha256, "caption": picture.caption}]
    return NewQuestion(kind=Kind.REGIONS.value, input={"text": text, "pictures": shown})


def continuation(text: str) -> NewQuestion:
    """Ask for the line with which a language model goes on after the text."""
    return NewQuestion(kind=Kind.CONTINUATIONS.value, input={"text": text})


def questions_about(text: str) -> NewQuestion:
    """Ask for questions that the sentence answers, each with its answer."""
    return NewQuestion(kind=Kind.QUESTIONS.value, input={"text": text})


def ask_questions(questions: Sequence[NewQuestion], *, rival: RegisteredRival, now: datetime) -> None:
    """Queue the questions. Idempotent: a question asked before, answered or not, stays as it is."""
    _refuse_other_kinds(questions, rival)
    # Sorted by length: in the queue's order a pass holds little padding.
    fresh = sorted({one.key: one for one in questions}.values(), key=_length)
    for start in range(0, len(fresh), AT_ONCE):
        ModelQuestion.objects.bulk_create(
            [
                ModelQuestion(
                    rival=rival,
                    kind=one.kind,
                    input=one.input,
                    key=one.key,
                    asked_at=now,
                    try_at=now,
                )
                for one in fresh[start : start + AT_ONCE]
            ],
            ignore_conflicts=True,
        )


def find_questions(questions: Sequence[NewQuestion], *, rival: RegisteredRival) -> dict[str, ModelQuestion]:
    """Questions that were asked already, by key."""
    keys = list({one.key for one in questions})
    return {
        row.key: row
        for start in range(0, len(keys), AT_ONCE)
        for row in ModelQuestion.objects.filter(rival=rival, key__in=keys[start : start + AT_ONCE])
    }


def ask_and_find(
    questions: Sequence[NewQuestion], *, rival: RegisteredRival, now: datetime
) -> dict[str, ModelQuestion]:
    """Questions by key, those never asked being asked now; for callers that return until all are answered."""
    found = find_questions(questions, rival=rival)
    if missing := [one for one in questions if one.key not in found]:
        ask_questions(missing, rival=rival, now=now)
        found |= find_questions(missing, rival=rival)
    return found


def retry_questions(questions: QuerySet[ModelQuestion], *, now: datetime) -> int:
    """Reset failed questions, and try waiting ones at once; return how many."""
    with transaction.atomic():
        waiting = questions.filter(status=Status.WAITING, tries__gt=0).update(try_at=now)
        failed = questions.filter(status=Status.FAILED).update(
            status=Status.WAITING, tries=0, try_at=now, problem=""
        )
    log.info("questions.retried", count=waiting + failed)
    return waiting + failed


def _refuse_other_kinds(questions: Sequence[NewQuestion], rival: RegisteredRival) -> None:
    for kind in sorted({Kind(one.kind) for one in questions}):
        if rival.kind not in ModelQuestion.ANSWERED_BY[kind]:
            raise RuleBroken("wrong_kind", f"{rival} cannot answer this; choose {CHOICES[kind]}.")


def _length(one: NewQuestion) -> tuple[str, int]:
    texts = one.input.get("texts") or [one.input.get("prompt") or one.input.get("text") or ""]
    return one.kind, sum(map(len, texts))
