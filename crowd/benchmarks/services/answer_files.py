"""A model's answers from a file, checked line by line, all of them or none; and written as one again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from itertools import islice
from typing import Any, BinaryIO

import structlog
from django.db import IntegrityError

from crowd.benchmarks.benchmark_tasks import Answer, BenchmarkTask, ReleasedItem
from crowd.benchmarks.models import Benchmark, ItemResult, Result
from crowd.benchmarks.released_items import has_rows, items_from
from crowd.benchmarks.services.benchmark_results import AT_ONCE, as_text, task_of
from crowd.benchmarks.services.score_sums import sum_up
from hits.common.spreadsheets import Cell
from hits.common.uploads.file_problems import Problems
from hits.core import audit_trail
from hits.core.errors import InvalidItems, RuleBroken
from hits.data.services.model_results import ModelResults, Subjects, add_results
from hits.datasets.columns import Row
from hits.identity.models.users import User

MOST_BYTES = 64 * 1024 * 1024
KNOWN = "known_name"
REMEDY = "Remove those first, or take another name."
PIECE = 1024 * 1024
SHOWN = 40
# So many repeated lines are told one by one; with more the file is not read to its end.
SLACK = 1_000
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Scored:
    """An answer with its scores, as a row will hold them."""

    answer: Answer
    scores: Mapping[str, str]
    is_hidden: bool


def _as_it_is(_: Result) -> None:
    """Do nothing with what was stored."""


class KnownItems(Subjects):
    """The items of a benchmark by their names. One row is read at a time, from where it stands.

    `is_named`: whether any of them was found. `only_told`: what nobody outside is told of is not known.
    """

    def __init__(self, benchmark: Benchmark, *, only_told: bool = False) -> None:
        self.release, self.task = benchmark.release, task_of(benchmark)
        self.is_named = False
        self._lines = 0
        self._starts = {
            read.item.name: read.start
            for read in items_from(self.release, self.task)
            if not only_told or self.task.tell(read.item) is not None
        }

    def __len__(self) -> int:
        return len(self._starts)

    def find(self, name: str) -> ReleasedItem:
        """Raises ValueError for a name that the release has not, and InvalidItems for far too many lines."""
        start = self._starts.get(name)
        if start is None:
            raise ValueError(f"the release has no {name!r:.{SHOWN}}.")
        self.is_named = True
        self._lines += 1
        if self._lines > len(self._starts) + SLACK:
            raise InvalidItems([f"The file has many more lines than the release has {self.task.items}."])
        reads = items_from(self.release, self.task, at=start)
        return next(read.item for read in reads if read.item.name == name)


def add_answers(
    *,
    benchmark: Benchmark,
    name: str,
    file: BinaryIO,
    by: User | None,
    now: datetime,
    about: str = "",
    is_part: bool = False,
    from_outside: bool = False,
    stored: Callable[[Result], None] = _as_it_is,
    **facts: Any,
) -> Result:
    """Store and score answers. Raises InvalidItems that names every bad line, and stores nothing.

    `from_outside`: it stands in no table yet. `stored` is called in the transaction that stores it, and may
    refuse. `facts`: what is known of the model, by the names of FACTS.
    """
    digest = sha256()
    while piece := file.read(PIECE):
        digest.update(piece)
    file.seek(0)
    try:
        upload = add_results(
            answers_to(task_of(benchmark), is_part=is_part, from_outside=from_outside, stored=stored),
            of=benchmark,
            name=name,
            file=file,
            by=by,
            now=now,
            about=about,
            provenance={"file_sha256": digest.hexdigest()},
            source=Result.Source.OUTSIDE if from_outside else Result.Source.UPLOADED,
            is_listed=not from_outside,
            **facts,
        )
    except IntegrityError:
        raise RuleBroken(KNOWN, f"There are answers of {name} already. {REMEDY}") from None
    log.info("benchmark.uploaded", result=str(upload.made.public_id), items=upload.count)
    return upload.made


def answers_to(
    task: BenchmarkTask,
    *,
    is_part: bool = False,
    from_outside: bool = False,
    stored: Callable[[Result], None] = _as_it_is,
) -> ModelResults[Benchmark, Result]:
    """Return the description of a file of answers to this task."""
    return ModelResults(
        name="answers",
        of=Result,
        header={"of": "benchmark", "name": "name", "about": "about", "by": "added_by", "at": "added_at"},
        columns=task.columns,
        any_of=task.any_of,
        held=_ready,
        subjects=partial(KnownItems, only_told=from_outside),
        row=partial(_read_row, task),
        called=lambda _, key: str(key),
        whole=partial(_check_whole, is_part=is_part),
        store=partial(_store, task, stored=stored),
        # Only those that stand in tables have names of their own.
        holding=lambda rows: rows.none() if from_outside else rows.filter(is_listed=True),
        taken=_taken,
        code=KNOWN,
        remedy=REMEDY,
    )


def answer_lines(result: Result, *, with_hidden: bool = True) -> Iterator[Sequence[Cell]]:
    """Yield the cells of a file that gives the same answers again, without its heading.

    `with_hidden`: those to items whose labels are kept back, too.
    """
    task = task_of(result.benchmark)
    names = [column.name for column in task.columns[1:]]
    reads = items_from(result.benchmark.release, task)
    items = (read.item for read in reads if with_hidden or not read.item.is_hidden)
    while some := list(islice(items, AT_ONCE)):
        rows = result.items.filter(item__in=[item.name for item in some])
        answers = dict(rows.values_list("item", "answer"))
        for item in some:
            if item.name in answers:
                cells = task.write(item, answers[item.name])
                yield [item.name, *(cells.get(name, "") for name in names)]


@contextmanager
def _ready(benchmark: Benchmark) -> Iterator[Benchmark]:
    """The benchmark of a complete release, not locked: that no longer changes."""
    if not has_rows(benchmark.release, task_of(benchmark)):
        raise RuleBroken("no_rows", f"The frozen rows of {benchmark.release} are not here.")
    yield benchmark


def _taken(benchmark: Benchmark, name: str) -> str:
    return "" if name else "Give the model a name of its own."


def _read_row(task: BenchmarkTask, cells: Row, known: KnownItems) -> Iterator[tuple[str, Scored]]:
    item = known.find(cells[task.columns[0].name])
    answer = task.read(item, cells)
    scores = as_text(task.score(item, answer))
    yield item.name, Scored(answer=answer, scores=scores, is_hidden=item.is_hidden)


def _check_whole(
    found: Mapping[str, Scored], known: KnownItems, problems: Problems, *, is_part: bool
) -> None:
    if problems.said and not known.is_named:
        problems.lead("No line is about an item of this release. Is the file of another release or task?")
    lacking = len(known) - len(found)
    if found and lacking and not is_part:
        problems.say(
            f"{lacking} of the {len(known)} {known.task.items} have no answer. "
            "Add them, or say that the file covers only a part."
        )


def _store(
    task: BenchmarkTask, result: Result, found: Mapping[str, Scored], *, stored: Callable[[Result], None]
) -> int:
    ItemResult.objects.bulk_create(
        (
            ItemResult(
                result=result, item=name, is_hidden=one.is_hidden, answer=one.answer, scores=dict(one.scores)
            )
            for name, one in found.items()
        ),
        batch_size=AT_ONCE,
    )
    result.answered, result.to_match = len(found), result.benchmark.matcher_id is not None
    result.save(update_fields=["answered", "to_match"])
    sum_up(result, task)
    stored(result)
    release = result.benchmark.release
    words = f"Answers of {result} were uploaded: {task.name}, release {release.version}."
    audit_trail.note(
        "benchmark.uploaded", words, by=result.added_by, now=result.added_at, study=release.study
    )
    return len(found)
