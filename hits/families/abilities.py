"""What a task may be able to do beyond being worked on: a class for each, and whoever can has it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from decimal import Decimal

    from django.db.models import QuerySet
    from django.http import QueryDict

    from hits.core.errors import InvalidAnswer
    from hits.families.interface import Answer, Proposal, TaskPage, Terms
    from hits.studies.models import Batch, Study
    from hits.work.models.assignments import Assignment
    from hits.work.models.items import Item


class SuggestsTerms(ABC):
    @abstractmethod
    def suggest_terms(self, *, study: Study) -> Terms:
        """What a new batch of this study starts from, where that is not the same for every study."""


class PreviewsBatches(ABC):
    @abstractmethod
    def preview_page(self, *, batch: Batch) -> TaskPage:
        """What this batch asks, where that is not the same for every study: nothing of its items."""


class NarrowsItems(ABC):
    @abstractmethod
    def narrow_items(self, items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
        """Of items that are free for this worker, those that the task's own rules leave.

        The worker's row is held: what this reads of the worker's own leases is not overtaken.
        """


class ShowsAgain(ABC):
    @abstractmethod
    def page_again(
        self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item], problem: InvalidAnswer
    ) -> TaskPage | None:
        """The work page with what was sent and what is wrong with it. None: a page of its own says that."""


class GivesFeedback(ABC):
    @abstractmethod
    def feedback_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage | None:
        """How handed-in work turned out, for its worker to read. None: nothing, or nothing yet."""


class RecoversAnswers(ABC):
    @abstractmethod
    def recover_answer(self, *, answer: Any, assignment: Assignment, items: Sequence[Item]) -> Answer:
        """Of work that was never saved here, and may have been sent by hand: it matters whose it is."""


class UsesUp(ABC):
    @abstractmethod
    def uses_up(self, assignment: Assignment) -> bool:
        """Of a test that was opened and not handed in: whether its worker has seen too much to begin anew."""


class AsksRival(ABC):
    @abstractmethod
    def read_proposal(self, *, form: QueryDict, assignment: Assignment) -> Proposal:
        """What a page sends to ask the rival. Raises InvalidAnswer for anything it could not have sent."""

    @abstractmethod
    def possible_bonus(self, *, assignment: Assignment, fool: int) -> Decimal | None:
        """What a verdict may earn its asker at most. None: nothing is promised by verdicts."""


class TakesReports(ABC):
    @abstractmethod
    def take_report(self, *, form: QueryDict, assignment: Assignment, now: datetime) -> None:
        """Something of the page is unfit. Raises InvalidAnswer for what the page does not show."""


class KeepsItems(ABC):
    """Beside the items of a batch there are rows of the task's own."""

    @abstractmethod
    def remove_items(self, *, batch: Batch) -> None:
        """Takes away what is kept of a draft's own items; the caller removes the items."""


class TakesFiles(KeepsItems):
    # How a file of items is written, for the researcher.
    file_help: ClassVar[str]

    @abstractmethod
    def read_items(self, content: bytes) -> Sequence[Any]:
        """The rows of a researcher's file. Raises InvalidItems that names every bad line."""

    @abstractmethod
    def add_items(self, rows: Sequence[Any], *, batch: Batch) -> int:
        """Makes the rows of read_items this batch's own items. The caller holds the transaction."""

    @abstractmethod
    def example_file(self) -> str:
        """A file that could be uploaded as it is."""


class AsksAnew(KeepsItems):
    @abstractmethod
    def repeat_items(self, items: Sequence[Item], *, batch: Batch) -> int:
        """The same questions as this batch's own. The caller holds the transaction."""
