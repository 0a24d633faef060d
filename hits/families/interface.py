"""Interface of a kind of work, one TaskType for each. Other code knows no more of it than this."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from django.http import QueryDict

    from hits.work.models.assignments import Assignment
    from hits.work.models.items import Item

Answer = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class TaskPage:
    """A template and its context. The context must hold nothing that a solver may not see."""

    template: str
    context: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Score:
    """Exact value of one answer to one item by one measure."""

    item: Item
    measure: str
    value: Fraction


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A worker's question to the rival: a text, and which of the pictures shown belong to it."""

    slot: int
    text: str
    # SHA-256 and caption of each picture, in the order shown.
    pictures: Sequence[tuple[str, str]]
    chosen: Sequence[int]


@dataclass(frozen=True, kw_only=True)
class ServedWork:
    """Submitted work, and the items that its answer is about, whether they were given back since or not."""

    assignment: Assignment
    items: Sequence[Item]

    @property
    def answered(self) -> Sequence[tuple[Item, Any]]:
        """Each item that the answer names, with what it says of it."""
        answer: Answer = self.assignment.answer or {}
        names = [(item, str(item.public_id)) for item in self.items]
        return [(item, answer[name]) for item, name in names if name in answer]


@dataclass(frozen=True, kw_only=True)
class Judgment:
    """One worker's choice in one question about one item, comparable with all other choices in this question.

    `about` tells things of one item apart that are judged one by one, such as its pictures.
    """

    assignment: Assignment
    item: Item
    label: str
    question: str = ""
    about: str = ""
    # Where the choice stood, counted from 0, where each worker sees another order.
    place: int | None = None
    # How many different words the item itself gives to read; 0: it is looked at, or nobody has counted.
    words: int = 0


@dataclass(frozen=True, kw_only=True)
class MainFigure:
    """The figure that a task's items are collected for: the mean of a value from 0 to 1 of each item.

    `is_share`: the value is 0 or 1. `alike`: which of its items depend on each other, in a sentence.
    """

    name: str
    is_share: bool
    alike: str = ""


class Purpose(Enum):
    WORK = "work"
    # It qualifies its worker, and is no data: no bonus table applies, an item may be asked of any number of
    # people, and each worker is given some of the batch's items, drawn by the worker.
    TEST = "test"
    # No researcher launches it, and no bonus table applies; the system makes its batches by itself.
    HOUSE = "house"


@dataclass(frozen=True, kw_only=True)
class Terms:
    """Terms that a new batch starts with."""

    title: str = ""
    description: str = ""
    # What one item is expected to take, until times have been measured.
    item_s: int = 30
    # Number of items on one page, at first and at most.
    items_each: int = 1
    most_items: int = 10
    # Seconds that one assignment may take.
    duration_s: int = 900
    # What its paper asks of workers, as the Requester API takes it: the guide offers it by one click.
    requirements: Sequence[Mapping[str, Any]] = ()
    # Whether its paper asks for English speakers: workers say so themselves, for platforms know the country.
    english_speakers: bool = False
    # Reward, in whichever currency the study has, and the number of different workers for each HIT.
    reward: Decimal = Decimal("0.03")
    workers_per_hit: int = 3


class TaskType(ABC):
    key: ClassVar[str]
    name: ClassVar[str]
    terms: ClassVar[Terms]
    # What judge() records. A study's bonus table may name these, and nothing else.
    measures: ClassVar[tuple[str, ...]] = ()
    purpose: ClassVar[Purpose] = Purpose.WORK
    # What those who do it are called in tables of people, such as “Solvers”. Empty: by the task's name.
    role: ClassVar[str] = ""
    # What one of its items is called on pages of staff.
    item_noun: ClassVar[str] = "item"
    # True: its workers are asked about other work too, and have a role only in a study without other work.
    is_side_work: ClassVar[bool] = False
    # Scores that one item has by each measure: a bonus table may pay for each, so that much is reserved.
    scored_per_item: ClassVar[int] = 1
    # True: judging needs answers that others are still to give. The family itself says when, and the work is
    # approved, and its reward paid, without waiting for that.
    is_judged_later: ClassVar[bool] = False
    # True: what a worker has seen is never leased to the same worker again, not even after a return.
    leases_once: ClassVar[bool] = False
    # True: only for workers who have done no other work for the study. A test is no work: who has taken the
    # study's tests is new to it.
    wants_newcomers: ClassVar[bool] = False

    @abstractmethod
    def practice_page(self) -> TaskPage:
        """Return the page that preview shows: an example that is in no data, with no answer possible."""

    @abstractmethod
    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        """Return the worker's page, with the items in an order of the worker's own."""

    @abstractmethod
    def review_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        """Return the same page, read-only, with the answer given and the one expected."""

    @abstractmethod
    def read_answer(self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item]) -> Answer:
        """Return the answer to store. Raises InvalidAnswer for anything the page could not have sent."""

    @abstractmethod
    def check_answer(self, *, answer: Any, items: Sequence[Item]) -> Answer:
        """Check an answer that comes back from the provider as read_answer checks one that a page sends."""

    @abstractmethod
    def judge(self, *, answer: Answer, items: Sequence[Item]) -> Sequence[Score]:
        """Return the scores of an answer. Pure: another call computes them again."""
