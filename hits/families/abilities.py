"""Abilities that a task may have beyond being worked on: one class each, inherited by those that can."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime
    from decimal import Decimal

    from django.db.models import QuerySet
    from django.http import QueryDict

    from hits.core.errors import InvalidAnswer
    from hits.datasets.columns import Column
    from hits.families.interface import Answer, Judgment, MainFigure, Proposal, ServedWork, TaskPage, Terms
    from hits.studies.models import Batch, Study
    from hits.work.models.assignments import Assignment
    from hits.work.models.items import Item


class SuggestsTerms(ABC):
    @abstractmethod
    def suggest_terms(self, *, study: Study) -> Terms:
        """Return the terms that a new batch of this study starts with, if studies differ."""


class PreviewsBatches(ABC):
    @abstractmethod
    def preview_page(self, *, batch: Batch) -> TaskPage:
        """Return what this batch asks, if studies differ: nothing of its items."""


class NarrowsItems(ABC):
    @abstractmethod
    def narrow_items(self, items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
        """Return those of the items free for this worker that the task's own rules allow.

        The worker's row is locked: what this reads of the worker's own leases cannot change meanwhile.
        """


class ShowsAgain(ABC):
    @abstractmethod
    def page_again(
        self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item], problem: InvalidAnswer
    ) -> TaskPage | None:
        """Return the work page with what was sent and its problem; None if another page reports it."""


class GivesFeedback(ABC):
    @abstractmethod
    def feedback_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage | None:
        """Return how submitted work turned out, for its worker; None if there is nothing to show yet."""


class RecoversAnswers(ABC):
    @abstractmethod
    def recover_answer(self, *, answer: Any, assignment: Assignment, items: Sequence[Item]) -> Answer:
        """Return the answer of work never saved here. It may be sent by hand, so its worker matters."""


class FlattensWork(ABC):
    """Ability to say submitted work in plain columns: a row for each unit that is judged by itself."""

    @abstractmethod
    def flat_columns(self, *, batch: Batch) -> Sequence[Column]:
        """Return the columns of the batch's work; their values are read from what `flatten` returns."""

    @abstractmethod
    def flatten(self, works: Sequence[ServedWork]) -> Mapping[int, Sequence[Any]]:
        """Return the units of each work by its assignment's key, in as many queries for one as for many.

        The caller has read only some fields of their HITs: another would be a query for each.
        """


class StatesJudgments(ABC):
    """Ability to say what answers have in common to compare: several people judge the same things."""

    # True: attention items may be mixed into its pages. Nothing of the task then counts leases whose answers
    # bring nothing (Lease.NO_ANSWER), no bonus rests on single items, and nobody is told what was right.
    mixes_attention: ClassVar[bool] = False

    @abstractmethod
    def judgments(self, works: Sequence[ServedWork]) -> Iterator[Judgment]:
        """Yield what each work chooses, in as many queries for one work as for many.

        The caller has read only some fields of the works and their items: another would be a query for each.
        """


class StatesMainFigure(ABC):
    """Ability to say which figure the items are collected for, and what it is of those that are final."""

    main_figure: ClassVar[MainFigure]

    @abstractmethod
    def final_values(self, study: Study) -> Sequence[float]:
        """Return the value of each final item of the study, in a number of queries that does not grow."""


class UsesUp(ABC):
    @abstractmethod
    def uses_up(self, assignment: Assignment) -> bool:
        """Whether this test, opened but not submitted, has shown its worker too much to begin again."""


class AsksRival(ABC):
    @abstractmethod
    def read_proposal(self, *, form: QueryDict, assignment: Assignment) -> Proposal:
        """Return what a page sent to ask the rival. Raises InvalidAnswer if the page could not send it."""

    @abstractmethod
    def possible_bonus(self, *, assignment: Assignment, fool: int) -> Decimal | None:
        """The most that a verdict may earn its worker, or None if verdicts promise nothing."""


class TakesReports(ABC):
    @abstractmethod
    def take_report(self, *, form: QueryDict, assignment: Assignment, now: datetime) -> None:
        """Take a report that part of the page is unfit. Raises InvalidAnswer for what it does not show."""


class KeepsItems(ABC):
    """Ability to keep rows of the task's own beside the items of a batch."""

    @abstractmethod
    def remove_items(self, *, batch: Batch) -> None:
        """Remove the task's rows for a draft's own items; the caller removes the items."""


class TakesFiles(KeepsItems):
    # How a file of items is written, for the researcher.
    file_help: ClassVar[str]

    @abstractmethod
    def read_items(self, content: bytes) -> Sequence[Any]:
        """Return the rows of a researcher's file. Raises InvalidItems that names every bad line."""

    @abstractmethod
    def add_items(self, rows: Sequence[Any], *, batch: Batch) -> int:
        """Make the rows of read_items this batch's own items. The caller holds the transaction."""

    @abstractmethod
    def example_file(self) -> str:
        """Return a file that could be uploaded as it is."""


class AsksAnew(KeepsItems):
    @abstractmethod
    def repeat_items(self, items: Sequence[Item], *, batch: Batch) -> int:
        """Add the same questions as this batch's own items. The caller holds the transaction."""
