"""Files of any size are written in flat memory: no more rows are held than a chunk or a group."""

from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pyarrow.parquet as pq
import pytest

from crowd.winogavil.queries import of_study, selected
from crowd.winogavil.releases.columns import PUBLISHED
from crowd.winogavil.releases.game_contents import count_rows
from crowd.winogavil.releases.rows import Naming, chunks, stream
from hits.datasets import parquet
from hits.datasets.text_formats import csv_lines, jsonl, read_jsonl
from hits.datasets.whole_files import write_pieces
from tests.crowd.winogavil.releases.data import make_final
from tests.factories import make_study

ROWS = 20_000


class Tracked(dict[str, Any]):
    __hash__ = object.__hash__  # type: ignore[assignment]


class Alive:
    """A source of rows that records how many of them were alive at once, at most."""

    def __init__(self) -> None:
        self._rows: WeakSet[Tracked] = WeakSet()
        self.most = 0

    def rows(self) -> Iterator[Tracked]:
        for number in range(ROWS):
            row = Tracked(
                ID=str(number), candidates=["a", "b", "c", "d", "e"], cue="cue", associations=["a", "b"],
                score_fool_the_ai=67, num_associations=2, num_candidates=5,
                solvers_jaccard_mean=1.0, solvers_jaccard_std=0.0,
            )  # fmt: skip
            self._rows.add(row)
            self.most = max(self.most, len(self._rows))
            yield row


@pytest.mark.pure
@pytest.mark.parametrize("form", [jsonl, csv_lines], ids=["jsonl", "csv"])
def test_texts_let_go_of_each_row_they_have_written(
    tmp_path: Path, form: Callable[..., Iterator[bytes]]
) -> None:
    alive = Alive()

    write_pieces(tmp_path / "file", form(PUBLISHED, alive.rows()))

    assert 0 < alive.most <= 3
    assert (tmp_path / "file").read_bytes().count(b"\n") in (ROWS, ROWS + 1)


@pytest.mark.pure
def test_parquet_holds_one_group_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are counted here as they are passed to Arrow."""
    alive, file = Alive(), BytesIO()
    monkeypatch.setattr(parquet, "_prepared", lambda _, row, __: row)

    parquet.write_parquet(PUBLISHED, alive.rows(), file)

    assert parquet.GROUP <= alive.most <= parquet.GROUP + 1
    assert pq.read_table(file).num_rows == ROWS


@pytest.mark.pure
def test_files_are_read_back_line_by_line() -> None:
    lines = BytesIO(b'{"ID":"1"}\n{"ID":"2"}\nno json')

    rows = read_jsonl(lines)

    assert [next(rows)["ID"], next(rows)["ID"]] == ["1", "2"]


@pytest.mark.pure
def test_card_is_counted_without_keeping_rows() -> None:
    alive = Alive()
    more = {
        "selected": True,
        "source": "worker",
        "author": "w-1",
        "solvers": [],
        "verdicts": [],
        "pictures": [],
        "types": [],
        "skills": None,
        "concepts": [],
        "captions": [],
        "cue_picture": [],
    }

    def rows() -> Iterator[Tracked]:
        for row in alive.rows():
            row.update(more, study="", recorded_as="", picture_set="", made_at="", solvers_jaccard_exact="1")
            row.update(asked_at=None, final_at=None)
            yield row

    counts = count_rows(rows())

    assert (counts["rows"], counts["selected"], counts["shapes"]) == (ROWS, ROWS, [[5, 2, ROWS]])
    assert alive.most <= 3


@pytest.mark.django_db
def test_a_first_row_costs_one_chunk(django_assert_num_queries: Any) -> None:
    study = make_study()
    for _ in range(3):
        make_final(study)
    rows = selected(of_study(study), threshold=80)

    with django_assert_num_queries(6):
        next(stream(rows, naming=Naming(salt="x"), threshold=80))


@pytest.mark.django_db
def test_chunks_follow_each_other_without_a_gap() -> None:
    study = make_study()
    made = [make_final(study).pk for _ in range(5)]
    rows = selected(of_study(study), threshold=80)

    found = [[one.pk for one in some] for some in chunks(rows, size=2)]
    rest = [[one.pk for one in some] for some in chunks(rows, after=made[2], size=2)]

    assert found == [made[:2], made[2:4], made[4:]]
    assert rest == [made[3:]]
