"""Columns of one answered question: what was asked, what was entered, and what became of it."""

from dataclasses import dataclass
from typing import Any

from crowd.questions.domain import NO, YES
from crowd.questions.page_entries import Texts
from hits.datasets.columns import FLAG, TEXT, Column, column
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item


@dataclass(frozen=True, kw_only=True)
class AnsweredQuestion:
    """One question with what was entered; `asked` is its subject, as the task's pages have it."""

    assignment: Assignment
    item: Item
    asked: Any
    texts: Texts

    def is_own(self, row: Any) -> bool:
        """Whether a row was made of this very answer, and not of another worker's to the same question."""
        return row is not None and row.assignment_id == self.assignment.pk


ITEM = column(
    "item",
    TEXT,
    "the id of what was asked, the same for all who were",
    of=lambda one: str(one.item.public_id),
)


def as_entered(name: str, words: str) -> Column:
    """Return the column of a text as it was entered."""
    return column(name, TEXT, words, of=lambda one: one.texts.get(name, ""))


def yes_or_no(name: str, words: str, *, entry: str = "") -> Column:
    """Return the column of a choice between yes and no; empty where neither was chosen."""
    said = {YES: True, NO: False}
    return column(name, FLAG, words, of=lambda one: said.get(one.texts.get(entry or name, "")))
