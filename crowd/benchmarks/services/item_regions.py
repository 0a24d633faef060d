"""Heat maps of an item: which words meet which regions of its pictures, where a model can say so."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from crowd.benchmarks.benchmark_tasks import BenchmarkTask, ReleasedItem
from crowd.benchmarks.models import Benchmark, Result
from crowd.benchmarks.released_items import items_from
from crowd.benchmarks.services.benchmark_results import task_of
from hits.core.errors import RuleBroken
from scoring.models.model_questions import ModelQuestion
from scoring.services.asking_models import NewQuestion, ask_questions, find_questions


@dataclass(frozen=True, kw_only=True)
class PairRegions:
    """One text with one picture: the question about them, and its row once it was asked."""

    question: NewQuestion
    row: ModelQuestion | None

    @property
    def text(self) -> str:
        return str(self.question.input["text"])

    @property
    def sha256(self) -> str:
        return str(self.question.input["pictures"][0]["sha256"])


def has_regions(result: Result) -> bool:
    """Whether the model is of a kind that may say so, and the task has pictures with words."""
    kinds = ModelQuestion.ANSWERED_BY[ModelQuestion.Kind.REGIONS]
    return result.rival is not None and result.rival.kind in kinds and task_of(result.benchmark).has_regions


def find_items(benchmark: Benchmark, task: BenchmarkTask, names: Collection[str]) -> dict[str, ReleasedItem]:
    """Return these items; the frozen rows are read no further than the last of them."""
    found: dict[str, ReleasedItem] = {}
    for read in items_from(benchmark.release, task) if names else ():
        if read.item.name in names:
            found[read.item.name] = read.item
            if len(found) == len(names):
                break
    return found


def regions_of(result: Result, name: str) -> Sequence[PairRegions]:
    """Return what is known of each text with each picture of the item. Raises RuleBroken if there is none."""
    task = task_of(result.benchmark)
    item = find_items(result.benchmark, task, [name]).get(name)
    if item is None or result.rival is None or not has_regions(result):
        raise RuleBroken("no_regions", "There is nothing of this item that the model could be asked.")
    questions = task.region_questions(item)
    found = find_questions(questions, rival=result.rival)
    return [PairRegions(question=one, row=found.get(one.key)) for one in questions]


def ask_regions(*, result: Result, name: str, now: datetime) -> None:
    """Ask the model. Idempotent; what it has answered is kept. Raises RuleBroken as above."""
    asked = [one.question for one in regions_of(result, name)]
    if result.rival is not None:
        ask_questions(asked, rival=result.rival, now=now)
