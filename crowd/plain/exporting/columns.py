"""Columns of the files. Uploads and answers have the names that Amazon's own files give them."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

from crowd.plain.domain.pages import Kind, Page, Part
from crowd.plain.queries.results import FIGURES
from hits.datasets.columns import (
    FLAG,
    INTEGER,
    MOMENT,
    NUMBER,
    PERSON,
    TEXT,
    TEXTS,
    Column,
    column,
)

KINDS = {Kind.CHOICES: TEXTS, Kind.SCALE: INTEGER, Kind.NUMBER: NUMBER}
TIED = "what most have said, all of it where they are tied"
VERSION = column("page", INTEGER, "the version of the page", of="version")
TICKED = "all that more than half have ticked"


def row_columns(page: Page) -> Sequence[Column]:
    """Columns of the file with a line for each row, with what most have said."""
    return (*_inputs(page), *(one for part in page.questions for one in _majority(part)))


def answer_columns(page: Page) -> Sequence[Column]:
    """Columns of the file with a line for each answer that counts."""
    return (
        *_inputs(page),
        *_answers(page),
        column("by", PERSON, "pseudonym of the worker", of="work.worker.public_id"),
        column("at", MOMENT, "when it was submitted", of="work.submitted_at"),
    )


def work_columns(pages: Sequence[Page]) -> Sequence[Column]:
    """Return the columns of a batch's work: what was uploaded and answered, of all of these pages."""
    found = [one for page in pages for one in (*_inputs(page), *_answers(page))]
    return tuple({one.name: one for one in (VERSION, *found)}.values())


def _inputs(page: Page) -> Sequence[Column]:
    return (
        column("row", INTEGER, "the number of the row", of="row.number"),
        *(
            column(f"Input.{name}", TEXT, f"as uploaded: {name}", of=partial(_cell, name))
            for name in page.columns
        ),
    )


def _answers(page: Page) -> Sequence[Column]:
    return [
        column(
            f"Answer.{part.name}",
            KINDS.get(part.kind, TEXT),
            f"the answer to: {part.ask}",
            of=partial(_answer, part.name),
        )
        for part in page.questions
    ]


def _majority(part: Part) -> Sequence[Column]:
    def said(name: str, kind: str, words: str, value: Callable[[Any], Any]) -> Column:
        return column(f"{name}.{part.name}", kind, words, of=lambda line: value(line.said(part)))

    counts = said("Answers", INTEGER, f"how many have answered: {part.ask}", lambda one: one.answers)
    if part.kind == Kind.TEXT:
        return (counts,)
    words = TICKED if part.kind == Kind.CHOICES else TIED
    found = [
        said("Majority", TEXTS, words, lambda one: list(one.leaders)),
        said("Tied", FLAG, "whether it is tied", lambda one: one.is_tied),
        counts,
    ]
    if part.kind != Kind.CHOICES:
        found.append(said("Share", NUMBER, "of the answers, those of each leader", _share))
    if part.kind in FIGURES:
        found.append(said("Mean", NUMBER, "the mean of the answers", lambda one: one.mean))
    return found


def _cell(name: str, line: Any) -> str:
    return str(line.row.cells.get(name, ""))


def _answer(name: str, line: Any) -> Any:
    value = line.answer.get(name)
    if isinstance(value, tuple):
        return list(value)
    return float(value) if isinstance(value, Decimal) else value


def _share(said: Any) -> float | None:
    return None if said.share is None else float(said.share)
