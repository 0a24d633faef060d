"""Answers as arrays: who said what of which item, how long it took, and where on the page it stood."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
NO_PLACE = -1
ARRAYS = ("item", "worker", "answer", "seconds", "place", "words")


class Label(NamedTuple):
    """One worker's answer to one item. `place` counts from 0; None: it was the same for everybody.

    `words`: how many there were to read; 0 if that is not known.
    """

    item: Hashable
    worker: Hashable
    answer: Hashable
    seconds: float | None = None
    place: int | None = None
    words: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Labels:
    """Labels in the order in which they were given. Arrays hold places in the lists of names."""

    item: Ints
    worker: Ints
    answer: Ints
    seconds: Floats
    place: Ints
    words: Ints
    items: Sequence[Any]
    workers: Sequence[Any]
    answers: Sequence[Any]

    def __len__(self) -> int:
        return len(self.item)

    @cached_property
    def votes(self) -> "Votes":
        return _count(self)

    def keep(self, wanted: Flags) -> "Labels":
        """Return some of the labels, with the same lists of names."""
        return replace(self, **{name: getattr(self, name)[wanted] for name in ARRAYS})


@dataclass(frozen=True, kw_only=True, eq=False)
class Votes:
    """How often each item was given each of its answers: a cell for each pair that occurs.

    `cell_of` is the cell of each label. Nothing here grows with items times answers.
    """

    cell_of: Ints
    item: Ints
    answer: Ints
    count: Ints
    answered: Ints
    most: Ints
    leaders: Ints
    second: Ints

    @property
    def is_tie(self) -> Flags:
        return self.leaders > 1


def make_labels(rows: Iterable[Label], *, workers: Sequence[Hashable] | None = None) -> Labels:
    """Make arrays of rows that are in the order in which they were given.

    `workers`: all of a crowd, where several questions are to have the same places of workers.
    """
    listed = list(rows)
    items, item = _coded([row.item for row in listed])
    people, worker = _coded([row.worker for row in listed], known=workers)
    answers, answer = _coded([row.answer for row in listed], is_sorted=True)
    return Labels(
        item=item,
        worker=worker,
        answer=answer,
        seconds=np.array([row.seconds or np.nan for row in listed], dtype=float),
        place=np.array([NO_PLACE if row.place is None else row.place for row in listed], dtype=np.int64),
        words=np.array([row.words for row in listed], dtype=np.int64),
        items=items,
        workers=people,
        answers=answers,
    )


def _coded(
    values: Sequence[Hashable], *, known: Sequence[Hashable] | None = None, is_sorted: bool = False
) -> tuple[list[Any], Ints]:
    names = list(dict.fromkeys(values if known is None else known))
    if is_sorted:
        names.sort(key=str)
    places = {name: place for place, name in enumerate(names)}
    return names, np.array([places[value] for value in values], dtype=np.int64)


def _count(labels: Labels) -> Votes:
    keys, cell_of, count = np.unique(
        labels.item * max(len(labels.answers), 1) + labels.answer, return_inverse=True, return_counts=True
    )
    item, answer = np.divmod(keys, max(len(labels.answers), 1))
    most = np.zeros(len(labels.items), dtype=np.int64)
    np.maximum.at(most, item, count)
    is_leader = count == most[item]
    second = np.zeros_like(most)
    np.maximum.at(second, item[~is_leader], count[~is_leader])
    return Votes(
        cell_of=cell_of.astype(np.int64),
        item=item,
        answer=answer,
        count=count.astype(np.int64),
        answered=np.bincount(labels.item, minlength=len(most)),
        most=most,
        leaders=np.bincount(item[is_leader], minlength=len(most)),
        second=second,
    )
