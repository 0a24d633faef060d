"""A part of a set-up: figures of one kind, what the study has of them, and how they are put in place."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar

from django import forms

from crowd.family import Family
from hits.families import Purpose
from hits.families.paper_figures import Paper
from hits.identity.models.users import User
from hits.studies.models import Batch, Study


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One figure: what the paper says, what the study has, and the field in which it may be changed."""

    key: str
    label: str
    stated: Any
    # None: the study has none yet.
    now: Any
    field: forms.Field
    in_words: Callable[[Any], str] = str
    # Where the paper's figure is said in other words than the study's: a paper states dollars.
    as_stated: Callable[[Any], str] | None = None
    # What the form offers; None: what the paper says.
    suggested: Any = None
    # Why it stays as it is; empty where the set-up changes it.
    kept: str = ""
    # What stands where the study has none.
    nothing: str = "nothing yet"
    # False: it is not the paper's, so no value of it is a difference.
    is_compared: bool = True

    @property
    def differs(self) -> bool:
        return self.is_compared and bool(self.now != self.stated)

    @property
    def offered(self) -> Any:
        return self.stated if self.suggested is None else self.suggested

    @property
    def now_in_words(self) -> str:
        return self.nothing if self.now is None else self.in_words(self.now)

    @property
    def stated_in_words(self) -> str:
        return (self.as_stated or self.in_words)(self.stated)


@dataclass(frozen=True, kw_only=True)
class SetupRow:
    """Figures that belong together and stand in one place of the paper."""

    name: str
    origin: str
    cells: Sequence[Cell]
    note: str = ""

    @property
    def is_there(self) -> bool:
        """Whether the study has any of these figures."""
        return any(cell.now is not None for cell in self.cells)

    @property
    def nothing(self) -> str:
        return self.cells[0].nothing

    @property
    def differs(self) -> bool:
        return any(cell.differs for cell in self.cells)

    @property
    def difference_in_words(self) -> str:
        """What the study has and what the paper says, of each figure that differs."""
        return ", ".join(
            f"{self._name_of(cell)}: here {cell.now_in_words}, in the paper {cell.stated_in_words}"
            for cell in self.cells
            if cell.differs
        )

    def _name_of(self, cell: Cell) -> str:
        if self.name == cell.stated_in_words:  # a row that is named after what the paper says
            return cell.label
        return self.name if cell.label == self.name else f"{self.name} ({cell.label})"


class SetupPart(ABC):
    title: ClassVar[str]
    # Where its figures go, for the researcher.
    about: ClassVar[str]

    def __init__(self, *, family: Family, paper: Paper, study: Study) -> None:
        self.family, self.paper, self.study = family, paper, study

    @abstractmethod
    def rows(self) -> Sequence[SetupRow]:
        """Return the part's figures; none if the paper states none."""

    @abstractmethod
    def put(self, values: Mapping[str, Any], *, by: User, now: datetime) -> list[str]:
        """Put the values of the form in place; return what has changed, in words.

        The caller holds the transaction. What is in place already is left alone.
        """

    def permissions(self) -> Sequence[str]:
        """What somebody must be allowed to do to put it in place."""
        return ("hits.change_study",)

    def note(self) -> str:
        """What to know before it is put in place."""
        return ""

    def check(self, values: Mapping[str, Any]) -> None:  # noqa: B027 - most parts have nothing to compare
        """Raise ValidationError if the values do not go together."""

    def cells(self) -> Sequence[Cell]:
        return [cell for row in self.rows() for cell in row.cells]

    def changed(self, values: Mapping[str, Any]) -> Sequence[tuple[Cell, Any]]:
        """Return the cells that may change and are to be different, each with its new value."""
        free = [cell for cell in self.cells() if not cell.kept and cell.key in values]
        return [(cell, values[cell.key]) for cell in free if values[cell.key] != cell.now]

    def has_launched_work(self) -> bool:
        """Whether the study has launched work of the family; its tests are launched first, and are none."""
        return self.runs([task.key for task in self.family.tasks if task.purpose != Purpose.TEST])

    def runs(self, tasks: Sequence[str]) -> bool:
        """Whether the study has launched a batch of one of these tasks."""
        return Batch.objects.filter(study=self.study, task__in=tasks, launched_at__isnull=False).exists()


def in_place(cells: Sequence[tuple[Cell, Any]], *, of: str) -> list[str]:
    """Say what has changed, in a sentence for each figure."""
    return [
        f"{of}: {cell.label}, {replace(cell, now=value).now_in_words} (was {cell.now_in_words})"
        for cell, value in cells
    ]
