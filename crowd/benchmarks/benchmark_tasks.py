"""The tasks of benchmarks: what a model is asked about the items of a release, and how its answers score."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from crowd.releases.models import Release
from hits.common.uploads import UploadedColumn
from hits.core.errors import CrowdError
from hits.datasets.columns import Row
from scoring.models import RegisteredRival
from scoring.models.model_questions import ModelQuestion
from scoring.services.asking_models import NewQuestion
from scoring.services.asking_rivals import ShownPicture

# What a model answers about one item, as plain JSON.
Answer = Any
# The scores of one answer, by the key of the measure.
Scores = Mapping[str, Fraction]
# One of two numbers that are set against each other.
Number = Fraction | int
# Sums of scores, as a result stores them.
Sums = Sequence[Mapping[str, Any]]
# Characters of a model's words about one item, in a file.
LONGEST_WORDS = 1_000
_tasks: dict[tuple[str, str], "BenchmarkTask"] = {}


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A number that each answer has, as a share; a model's is the mean over its items.

    `of_whole`: a plain number that only all answers together have.
    """

    key: str
    name: str
    of_whole: bool = False


@dataclass(frozen=True, kw_only=True)
class Relation:
    """Pairs of numbers that answers give together with their items; a benchmark tells how they correlate.

    `reads`: the kind of questions by which a registered model reads the items first; empty if none has to.
    """

    key: str
    name: str
    reads: str = ""

    def is_read_by(self, rival: RegisteredRival | None) -> bool:
        kinds = ModelQuestion.ANSWERED_BY[ModelQuestion.Kind(self.reads)] if self.reads else ()
        return rival is not None and rival.kind in kinds


@dataclass(frozen=True, kw_only=True)
class ReleasedItem:
    """One item of a release. `row` has its labels; `shown` is the row as the files show it."""

    name: str
    row: Row
    shown: Row
    split: str = ""
    is_hidden: bool = False


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of an item, such as a picture, that is scored by itself in a table of parts of this kind.

    `of_people` is None where no people have answered.
    """

    kind: str
    of_answer: Callable[[Answer], Fraction]
    of_people: Fraction | None
    of_chance: Fraction


@dataclass(frozen=True, kw_only=True)
class PartTable:
    """A table of parts of items: what divides them, what they are called, and their kinds in its order."""

    group: str
    parts: str
    measure: Measure
    kinds: Sequence[str]
    about: str = ""


@dataclass(frozen=True, kw_only=True)
class TableRow:
    """One row of a benchmark's tables: whose answers, what is said of them, and their sums."""

    name: str
    about: str
    sums: Sums
    url: str = ""
    # How many items are answered, of which there may be no sums.
    items: int = 0


class BenchmarkTask(ABC):
    """One task of a family. Answers of registered models and of files are read to the same JSON."""

    family: ClassVar[str]
    key: ClassVar[str]
    name: ClassVar[str]
    # What the model is asked, for whoever chooses one or writes a file.
    about: ClassVar[str]
    # The file of the release whose rows are the items.
    file: ClassVar[str]
    # What its items are called: "examples".
    items: ClassVar[str]
    measures: ClassVar[Sequence[Measure]]
    # Whether means have 95 % intervals, by four equal groups of the items and Student's t.
    has_intervals: ClassVar[bool] = False
    # The one of them that a sentence model decides, which is chosen for a benchmark; None where none does.
    learned: ClassVar[Measure | None] = None
    # Columns of a file of answers. The first names the item.
    columns: ClassVar[Sequence[UploadedColumn]]
    any_of: ClassVar[Sequence[Sequence[str]]] = ()
    # The kinds of model questions by which it can be put to a registered model, the best first.
    kinds: ClassVar[Sequence[str]]
    # What tables say of a model that is asked by one of these kinds.
    said_of: ClassVar[Mapping[str, str]] = {}
    # What divides the items by what models answer, such as those that are hard for each; empty: nothing does.
    subsets: ClassVar[str] = ""
    # Who the people beside the models are; empty where a release has no answers of people.
    people: ClassVar[str] = ""
    # Names of people among what is counted elsewhere.
    people_elsewhere: ClassVar[Sequence[str]] = ()
    # Whether a model that reads captions can be given those that another model says.
    takes_captions: ClassVar[bool] = False
    # Where parts of its items are scored by themselves.
    part_table: ClassVar[PartTable | None] = None
    relations: ClassVar[Sequence[Relation]] = ()
    # Whether its items have texts and pictures of which a model may say which words meet which regions.
    has_regions: ClassVar[bool] = False

    @property
    def single_measures(self) -> Sequence[Measure]:
        """Return those of its measures that each answer has."""
        return [measure for measure in self.measures if not measure.of_whole]

    def is_in(self, release: Release) -> bool:
        """Whether a release whose file has something in it has items of this task."""
        return True

    def wanted(self, row: Row) -> bool:
        """Whether a row of the file is an item."""
        return True

    def divide(self, row: Row) -> Iterable[Row]:
        """Yield the items of a row, each with what it needs."""
        yield row

    @abstractmethod
    def name_of(self, row: Row) -> str:
        """Return the name of an item in files of answers."""

    def pictures_to_describe(self, item: ReleasedItem) -> Sequence[ShownPicture]:
        """Return the pictures of an item that captions may stand for."""
        return ()

    def with_captions(self, item: ReleasedItem, captions: Sequence[str]) -> ReleasedItem:
        """Return the item with these captions of the pictures to describe, in their order."""
        return item

    @abstractmethod
    def tell(self, item: ReleasedItem) -> Row | None:
        """Return what somebody outside is told of an item to answer it, and nothing of the answer.

        None if a hidden item's labels would be told with it: nobody outside is asked about that.
        """

    def words(self, item: ReleasedItem) -> Sequence[str]:
        """Return lines that tell a person which item it is, of what the files show."""
        return [item.name]

    @abstractmethod
    def questions(self, items: Sequence[ReleasedItem], kind: str) -> Sequence[Sequence[NewQuestion]]:
        """Return the questions of this kind about each item."""

    @abstractmethod
    def answer(self, item: ReleasedItem, outputs: Sequence[Any], kind: str) -> Answer:
        """Return the answer that a registered model's outputs are."""

    @abstractmethod
    def read(self, item: ReleasedItem, cells: Mapping[str, Any]) -> Answer:
        """Return the answer of a line of a file. Raises ValueError with what to correct."""

    @abstractmethod
    def write(self, item: ReleasedItem, answer: Answer) -> Mapping[str, Any]:
        """Return the cells of a line that has this answer, without the item's name."""

    def score(self, item: ReleasedItem, answer: Answer) -> Scores:
        """Return the measures that a single answer has."""
        return {}

    def right_answers(self, item: ReleasedItem) -> Sequence[str]:
        """Return the texts with which a sentence model compares an answer."""
        return ()

    def whole(self, answered: Sequence[tuple[ReleasedItem, Answer]]) -> Mapping[str, float]:
        """Return the measures that only these answers together have."""
        return {}

    def chance(self, item: ReleasedItem) -> Scores | None:
        """Return the expected scores of a blind answer, or None where there is no such thing."""
        return None

    def people_scores(self, item: ReleasedItem) -> Scores | None:
        """Return the scores of people on this item, or None where it has no answers of people."""
        return None

    def people_answer(self, item: ReleasedItem) -> Answer:
        """Return what people say of this item in the form of a model's answer, for relations."""
        raise NotImplementedError

    def reading_questions(self, items: Sequence[ReleasedItem]) -> Sequence[Sequence[NewQuestion]]:
        """Return the questions about each item to a model that reads them, for relations."""
        raise NotImplementedError

    def related(
        self, relation: Relation, item: ReleasedItem, answer: Answer, outputs: Sequence[Any] | None
    ) -> Iterable[tuple[Number, Number]]:
        """Yield the pairs of numbers of a relation. `outputs`: what the model says that has read the item."""
        return ()

    def region_questions(self, item: ReleasedItem) -> Sequence[NewQuestion]:
        """Return questions about the regions of each picture, as the files show the item."""
        return []

    def groups(self, item: ReleasedItem) -> Mapping[str, Sequence[str]]:
        """Return the kinds of items that it belongs to, by what divides them."""
        return {}

    def parts(self, item: ReleasedItem) -> Iterable[Part]:
        """Return the parts of an item that stand in the table of parts."""
        return ()

    def is_in_own_subset(self, answer: Answer) -> bool | None:
        """Whether an item is in the subset of the model that has answered so; None if nobody knows."""
        return None

    def subset_kinds(self, item: ReleasedItem, subset: str) -> Sequence[str]:
        """Return the kinds of items that it belongs to within a subset."""
        return [subset]

    def counted_across(self) -> Mapping[str, str]:
        """Return the kinds whose number of items stands in a wide table: each by its column's title."""
        return {}

    def across(self, release: Release) -> Mapping[str, Mapping[str, str]]:
        """Return the divisions whose kinds stand side by side in one table: each kind by its column's title.

        Each has a column for each measure of single answers. Of the other divisions, each kind of items has a
        row for each result.
        """
        return {}

    def counted_elsewhere(self, release: Release) -> Mapping[str, Sums]:
        """Return sums of results, by their names, of measures that people decide after the answers are in.

        A name that no result has is a row by itself.
        """
        return {}

    def further(self, release: Release) -> Iterable[TableRow]:
        """Yield rows that are counted elsewhere, and stand below those of the results."""
        return ()


def sum_of(*, group: str, kind: str, measure: str, items: int, total: Fraction) -> dict[str, object]:
    """Return one of the sums that a result stores."""
    return {"group": group, "value": kind, "measure": measure, "items": items, "sum": str(total)}


def register(task: BenchmarkTask) -> None:
    """Register a task. Called from an AppConfig.ready of the family."""
    _tasks[task.family, task.key] = task


def registered() -> Sequence[BenchmarkTask]:
    return list(_tasks.values())


def tasks_of(family: str) -> Sequence[BenchmarkTask]:
    return [task for (of, _), task in sorted(_tasks.items()) if of == family]


def get(family: str, key: str) -> BenchmarkTask:
    """Raises CrowdError for a task that is not registered."""
    if (family, key) not in _tasks:
        raise CrowdError(f"There is no task {key!r} of {family!r}.")
    return _tasks[family, key]


def tasks_for(release: Release) -> Sequence[BenchmarkTask]:
    """Return the tasks whose file this release has, with something in it."""
    rows = release.counts.get("files")
    # Releases of version 0.1.0 have no count of the rows of each file.
    held = rows or {file["name"].partition(".")[0]: True for file in release.files if rows is None}
    return [task for task in tasks_of(release.family) if held.get(task.file) and task.is_in(release)]
