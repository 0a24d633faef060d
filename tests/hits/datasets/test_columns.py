"""Columns that carry their own source: a row is made from whatever a family has read."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from io import BytesIO
from uuid import UUID
from weakref import WeakSet

import pyarrow.parquet as pq
import pytest

from hits.datasets.columns import (
    INTEGER,
    MOMENT,
    PERSON,
    ROWS,
    TEXT,
    TEXTS,
    column,
    rows_of,
)
from hits.datasets.parquet import write_parquet

pytestmark = pytest.mark.pure
EAST = timezone(timedelta(hours=2))


@dataclass(frozen=True, eq=False)
class Answer:
    by: UUID | None
    at: datetime | None = None


@dataclass(frozen=True, eq=False)
class Asked:
    number: int
    answers: tuple[Answer, ...] = ()


ANSWERS = (
    column("by", PERSON, "who"),
    column("at", MOMENT, "when", of=lambda one: one.at),
)
ASKED = (
    column("number", INTEGER, "which"),
    column("again", INTEGER, "which", of="number.real"),
    column("names", TEXTS, "of it", of=lambda one: [f"name {one.number}"]),
    column("answers", ROWS, "of it", *ANSWERS, of=lambda one: one.answers),
)


def test_row_is_what_its_columns_read_in_their_order() -> None:
    at = datetime(2026, 11, 21, 14, 0, tzinfo=EAST)
    source = Asked(number=3, answers=(Answer(by=UUID(int=7), at=at), Answer(by=None)))

    (row,) = rows_of(ASKED, [source], person=lambda public_id: f"w-{public_id.int}")

    assert list(row) == ["number", "again", "names", "answers"]
    assert row == {
        "number": 3,
        "again": 3,
        "names": ["name 3"],
        "answers": [{"by": "w-7", "at": "2026-11-21T12:00:00+00:00"}, {"by": None, "at": None}],
    }


def test_finished_row_is_read_by_its_columns_names() -> None:
    finished = {"a": "1", "rows": [{"b": 2, "c": 3}], "more": None}
    columns = (column("rows", ROWS, "of it", column("b", INTEGER, "of it")), column("a", TEXT, "of it"))

    assert list(rows_of(columns, [finished])) == [{"rows": [{"b": 2}], "a": "1"}]


def test_nobody_is_named_unless_it_was_said_how() -> None:
    with pytest.raises(ValueError, match="say how people are called"):
        list(rows_of(ANSWERS, [Answer(by=UUID(int=7))]))


def test_source_is_let_go_once_its_row_was_taken() -> None:
    alive: WeakSet[Asked] = WeakSet()
    most = 0

    def sources() -> Iterator[Asked]:
        nonlocal most
        for number in range(1_000):
            one = Asked(number=number)
            alive.add(one)
            most = max(most, len(alive))
            yield one

    assert sum(1 for _ in rows_of(ASKED, sources())) == 1_000
    assert most <= 2


def test_parquet_holds_pseudonyms_as_texts() -> None:
    file = BytesIO()

    write_parquet(ANSWERS, rows_of(ANSWERS, [Answer(by=UUID(int=7))], person=lambda _: "w-1"), file)

    assert pq.read_table(file).to_pylist() == [{"by": "w-1", "at": None}]
