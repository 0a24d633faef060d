"""Items of a benchmark, read from the frozen rows of its release, one at a time and from any place on."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from crowd.benchmarks.benchmark_tasks import BenchmarkTask, ReleasedItem
from crowd.releases.family_contents import ReleaseFile, contents_of
from crowd.releases.models import Release
from crowd.releases.splits import TEST, split_of
from hits.core.errors import CrowdError
from hits.datasets.columns import Row


class Read(NamedTuple):
    """An item, and the bytes of the frozen rows between which its row stands."""

    item: ReleasedItem
    start: int
    end: int


def items_from(release: Release, task: BenchmarkTask, *, at: int = 0) -> Iterator[Read]:
    """Yield the items of the rows from byte `at` on. Raises CrowdError if the frozen rows are gone."""
    file = file_of(release, task)
    path = release.frozen / f"{file.part}.jsonl"
    if not path.exists():
        raise CrowdError(f"The frozen rows of {release} are not here: {path.name} is missing.")
    with path.open("rb") as lines:
        lines.seek(at)
        for line in lines:
            start, at = at, at + len(line)
            for row in filter(task.wanted, file.rows_of(json.loads(line))):
                for item in _items_of(release, task, file, row):
                    yield Read(item, start, at)


def next_items(
    release: Release, task: BenchmarkTask, *, at: int, count: int
) -> tuple[list[ReleasedItem], int]:
    """Return about so many items from byte `at` on, all of each row, and the byte where the next begin."""
    found: list[ReleasedItem] = []
    for item, start, end in items_from(release, task, at=at):
        if len(found) >= count and start >= at:
            break
        found.append(item)
        at = end
    return found, at


def _items_of(release: Release, task: BenchmarkTask, file: ReleaseFile, row: Row) -> Iterator[ReleasedItem]:
    """Yield the items of one row, as their labels are kept back or not."""
    seed = release.split_seed
    split = "" if seed is None else split_of(str(row[file.item]), seed=seed)
    is_hidden = release.hides_test and split == TEST
    shown = contents_of(release).blind(release, row) if is_hidden else row
    for one, as_shown in zip(task.divide(row), task.divide(shown), strict=True):
        yield ReleasedItem(
            name=task.name_of(as_shown), row=one, shown=as_shown, split=split, is_hidden=is_hidden
        )


def has_rows(release: Release, task: BenchmarkTask) -> bool:
    """Whether the frozen rows are here, so that items can be read."""
    return (release.frozen / f"{file_of(release, task).part}.jsonl").exists()


def file_of(release: Release, task: BenchmarkTask) -> ReleaseFile:
    return next(file for file in contents_of(release).files(release) if file.name == task.file)
