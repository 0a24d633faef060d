"""One TaskFamily for each kind of work. Nothing outside the family knows more of it than this."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from hits.errors import InvalidAnswer, InvalidItems

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import QueryDict

    from hits.models import Assignment, Batch, Item

Answer = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class TaskPage:
    """What to render. The context must hold nothing that a solver may not see."""

    template: str
    context: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Score:
    """What one answer to one item is worth by one measure, exactly."""

    item: Item
    measure: str
    value: Fraction


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """What a worker puts to the rival: a text, and which of the pictures shown belong to it."""

    slot: int
    text: str
    # Of each picture in the order shown: its SHA-256 and its caption.
    pictures: Sequence[tuple[str, str]]
    chosen: Sequence[int]


class TaskFamily(ABC):
    key: ClassVar[str]
    name: ClassVar[str]
    # What a new batch starts from.
    title: ClassVar[str]
    description: ClassVar[str]
    # What one item is expected to take, until times have been measured.
    item_s: ClassVar[int] = 30
    # What judge() records. A study's bonus table may name these, and nothing else.
    measures: ClassVar[tuple[str, ...]] = ()
    # False: no researcher launches it, and no bonus table applies; the house makes its batches by itself.
    is_offered: ClassVar[bool] = True
    # So many items stand on one page, and so long may one assignment take.
    items_each: ClassVar[int] = 1
    duration_s: ClassVar[int] = 900
    # What its paper asks of workers, as the Requester API takes it: the guide offers it by one click.
    requirements: ClassVar[Sequence[Mapping[str, Any]]] = ()
    # In dollars, and so many different workers for each of its HITs.
    reward: ClassVar[Decimal] = Decimal("0.03")
    workers_per_hit: ClassVar[int] = 3
    # So many items stand on one page at most.
    most_items: ClassVar[int] = 10
    # So many scores by each measure come of one item: what a bonus table may pay for, and is set aside.
    scored_per_item: ClassVar[int] = 1
    # True: judging needs answers that others are still to give. The family itself says when, and the work is
    # approved, and its reward paid, without waiting for that.
    is_judged_later: ClassVar[bool] = False
    # True: what a worker has seen is never leased to the same worker again, not even after a return.
    leases_once: ClassVar[bool] = False
    # True: only for workers who have done nothing else for the study.
    wants_newcomers: ClassVar[bool] = False
    # True: work here qualifies its worker, and is no data: no bonus table applies, and an item may be asked
    # of any number of people.
    is_test: ClassVar[bool] = False
    # True: each worker is given some of the batch's items, drawn by the worker; else the oldest.
    draws: ClassVar[bool] = False
    # True: feedback_page may have something to show.
    gives_feedback: ClassVar[bool] = False
    # True: what one batch has asked, another may ask anew, by repeat_item.
    asks_anew: ClassVar[bool] = False
    # How a file of items is written, for the researcher. Empty: the task takes none.
    file_help: ClassVar[str] = ""

    @abstractmethod
    def practice_page(self) -> TaskPage:
        """What preview shows: an example that is in no data, with the answer field switched off."""

    @abstractmethod
    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        """The worker's page, in an order of the worker's own."""

    @abstractmethod
    def review_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        """The same, read-only, with the answer given and what was expected."""

    def feedback_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage | None:
        """How handed-in work turned out, for its worker to read. None: nothing, or nothing yet."""
        return None

    def page_again(
        self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item], problem: InvalidAnswer
    ) -> TaskPage | None:
        """The work page with what was sent and what is wrong with it. None: a page of its own says that."""
        return None

    @abstractmethod
    def read_answer(self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item]) -> Answer:
        """The answer to store. Raises InvalidAnswer for anything the page could not have sent."""

    @abstractmethod
    def check_answer(self, *, answer: Any, items: Sequence[Item]) -> Answer:
        """The same check for an answer that comes back from the provider."""

    def recover_answer(self, *, answer: Any, assignment: Assignment, items: Sequence[Item]) -> Answer:
        """Of work that was never saved here, and may have been sent by hand: whose it is matters to some."""
        return self.check_answer(answer=answer, items=items)

    def narrow_items(self, items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
        """Of items that are free for this worker, those that the family's own rules leave.

        The worker's row is held: what this reads of the worker's own leases is not overtaken.
        """
        return items

    def uses_up(self, assignment: Assignment) -> bool:
        """Of a test that was opened and not handed in: whether its worker has seen too much to begin anew."""
        return False

    @abstractmethod
    def judge(self, *, answer: Answer, items: Sequence[Item]) -> Sequence[Score]:
        """Pure: called again, it rescores."""

    def read_proposal(self, *, form: QueryDict, assignment: Assignment) -> Proposal:
        """What a page sends to ask the rival. Raises InvalidAnswer for anything it could not have sent."""
        raise InvalidAnswer("This task asks no rival.")

    def take_report(self, *, form: QueryDict, assignment: Assignment, now: datetime) -> None:
        """Something of the page is unfit. Raises InvalidAnswer for what the page does not show."""
        raise InvalidAnswer("Nothing of this task can be reported here.")

    def possible_bonus(self, *, assignment: Assignment, fool: int) -> Decimal | None:
        """What a verdict may earn its asker at most. None: the task promises nothing by verdicts."""
        return None

    def read_items(self, content: bytes) -> Sequence[Any]:
        """The rows of a researcher's file. Raises InvalidItems that names every bad line."""
        raise InvalidItems(["This task takes no items from a file."])

    def add_items(self, rows: Sequence[Any], *, batch: Batch) -> int:
        """Makes the rows of read_items this batch's own items. The caller holds the transaction."""
        raise InvalidItems(["This task takes no items from a file."])

    def example_file(self) -> str:
        """A file that could be uploaded as it is. Empty where the task takes none."""
        return ""

    def repeat_item(self, item: Item, *, batch: Batch) -> Item:
        """The same question as this batch's own. The caller holds the transaction, and has read asks_anew."""
        raise NotImplementedError

    def repeat_items(self, items: Sequence[Item], *, batch: Batch) -> int:
        """The same for many, for families that can do it in fewer steps than one by one."""
        return len([self.repeat_item(item, batch=batch) for item in items])

    def remove_items(self, *, batch: Batch) -> None:  # noqa: B027 - who takes no items keeps nothing
        """Takes away what the family keeps of a draft's own items; the caller removes the items."""
