"""One TaskFamily for each kind of work. Nothing outside the family knows more of it than this."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from django.http import QueryDict

    from hits.models import Assignment, Item, Study

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
class Owed:
    """A bonus by one rule of the study's table, and why, in words for the worker."""

    rule: str
    amount: Decimal
    reason: str


class TaskFamily(ABC):
    key: ClassVar[str]
    name: ClassVar[str]
    # What a new batch starts from.
    title: ClassVar[str]
    description: ClassVar[str]

    @abstractmethod
    def practice_page(self) -> TaskPage:
        """What preview shows: an example that is in no data, with the answer field switched off."""

    @abstractmethod
    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        """The worker's page, in an order of the worker's own."""

    @abstractmethod
    def review_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        """The same, read-only, with the answer given and what was expected."""

    @abstractmethod
    def read_answer(self, *, form: QueryDict, items: Sequence[Item]) -> Answer:
        """The answer to store. Raises InvalidAnswer for anything the page could not have sent."""

    @abstractmethod
    def check_answer(self, *, answer: Any, items: Sequence[Item]) -> Answer:
        """The same check for an answer that comes back from the provider."""

    @abstractmethod
    def judge(self, *, answer: Answer, items: Sequence[Item]) -> Sequence[Score]:
        """Pure: called again, it rescores."""

    @abstractmethod
    def owes(self, *, assignment: Assignment) -> Sequence[Owed]:
        """By the study's table, on recorded scores only."""

    @abstractmethod
    def answers_wanted(self, *, study: Study) -> int:
        """How many answers the study still wants: what sizes a batch."""
