"""A worker's answer as an operator reads it: beside the question, and indented where a program wrote it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.html import strip_tags

from crowd.marketplace.errors import ParameterValidationError
from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.questions import read_form
from crowd.marketplace.questions.answers import read_answers
from crowd.marketplace.questions.content import Block
from crowd.marketplace.questions.form import FormQuestion
from crowd.marketplace.questions.form_answers import Selection

LONGEST_VALUE = 20_000


@dataclass(frozen=True, kw_only=True)
class Value:
    text: str
    is_data: bool = False  # JSON, as a page's program sends it


@dataclass(frozen=True, kw_only=True)
class Answered:
    """The values given under one name, with the question if the marketplace knows it."""

    name: str
    question: str
    values: Sequence[Value]


def read_answered(work: Assignment) -> list[Answered]:
    """Read the answer, in the order of the form's questions; other answers in the order of their names."""
    given = read_answers(work.answer)
    questions = _questions_of(work.hit)
    rest = [name for name in given if name not in questions]
    return [
        Answered(
            name=name,
            question=_describe(questions[name]) if name in questions else "",
            values=_values(given.get(name, ()), question=questions.get(name)),
        )
        for name in (*questions, *rest)
    ]


def _questions_of(hit: HIT) -> Mapping[str, FormQuestion]:
    """The questions by their names, for a form of ours; a page of the requester's has none that we know."""
    if hit.kind != HIT.Kind.FORM:
        return {}
    try:
        return {question.identifier: question for question in read_form(hit.question).questions}
    except ParameterValidationError:
        return {}


def _values(given: Iterable[str], *, question: FormQuestion | None) -> list[Value]:
    choices = question.answer.choices if question and isinstance(question.answer, Selection) else ()
    labels = {choice.identifier: _text_of(choice.label) for choice in choices}
    return [
        Value(text=f"{labels[value]} ({value})") if labels.get(value) else _read_value(value)
        for value in sorted(given)
    ]


def _read_value(value: str) -> Value:
    """Indent what is JSON with parts; leave everything else as it was sent."""
    if value.lstrip()[:1] in ("{", "["):
        try:
            text = json.dumps(json.loads(value), indent=2, ensure_ascii=False)
        except (ValueError, RecursionError):
            return Value(text=value)
        return Value(text=text[:LONGEST_VALUE], is_data=True)
    return Value(text=value[:LONGEST_VALUE])


def _describe(question: FormQuestion) -> str:
    content = " ".join(filter(None, map(_text_of, question.content)))
    return f"{question.name}: {content}" if question.name else content


def _text_of(block: Block) -> str:
    return block.text or "; ".join(block.items) or " ".join(strip_tags(block.html).split()) or block.url
