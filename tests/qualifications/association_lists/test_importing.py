"""The import of a file into a list: readers see all of it or nothing, whatever happens on the way."""

import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from hits.core.errors import RuleBroken
from qualifications.models import SwowEdge, SwowList, SwowWord
from qualifications.queries.association_graph import associations_of, ready_list, words
from qualifications.services import file_slices, graph_storage, list_imports
from qualifications.services.list_imports import Source, import_swow
from qualifications.services.removing_lists import remove_list
from tests.factories import NOW, make_user
from tests.qualifications.files import HEAD, Row, make_rows, said, strength_line, write_strengths
from tests.qualifications.lists import edges_of, make_list

pytestmark = pytest.mark.django_db
YOLK = [*said("yolk", ("egg", 120), ("yellow", 44)), *said("egg", ("yolk", 30), ("hen", 20))]


def bring(path: Path, *, name: str = "swow-en", **options: Any) -> SwowList:
    return import_swow(source=Source(path=path, name=name), clock=lambda: NOW, **options)


def write_lines(path: Path, *lines: str) -> Path:
    path.write_text("\n".join([HEAD, *lines, ""]), encoding="utf-8")
    return path


def test_import_swow_reads_a_published_file(tmp_path: Path) -> None:
    swow = bring(write_strengths(tmp_path / "strength.csv", YOLK))

    assert (swow.status, swow.kind, swow.imported_at) == ("ready", "r123", NOW)
    assert (swow.rows, swow.bad_lines, swow.problems) == (4, 0, [])
    assert (swow.words_count, swow.cues_count, swow.edges_count) == (4, 2, 4)
    assert swow.licence == "CC BY-NC-ND 3.0"
    assert edges_of(swow) == {(cue, response): people for cue, response, people, _ in YOLK}
    assert SwowWord.objects.get(list=swow, text="yolk").total == 164


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["bare", "byte order mark"])
def test_import_swow_reads_every_spelling_of_a_file(
    tmp_path: Path, end: str, pack: Callable[[bytes], bytes], mark: bytes
) -> None:
    plain = write_strengths(tmp_path / "plain.csv", YOLK, end=end).read_bytes()
    path = tmp_path / "strength.csv.gz"
    path.write_bytes(pack(mark + plain))

    swow = bring(path)

    assert swow.status == "ready"
    assert edges_of(swow) == {(cue, response): people for cue, response, people, _ in YOLK}


def test_import_swow_reads_counts(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text('cue,response,count\n"yolk","egg",3\nyolk,"sunny, side up",1\n')

    swow = bring(path)

    assert (swow.kind, swow.licence) == ("counts", "")
    assert edges_of(swow) == {("yolk", "egg"): 3, ("yolk", "sunny, side up"): 1}
    assert SwowWord.objects.get(list=swow, text="yolk").total == 4


def test_answers_that_differ_by_case_alone_add_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_slices, "SLICE", 2)
    rows = [*said("china", ("Asia", 5), ("asia", 3), ("tea", 2)), *said("China", ("ASIA", 10), ("wall", 1))]

    swow = bring(write_strengths(tmp_path / "strength.csv", rows))

    assert edges_of(swow) == {("china", "asia"): 18, ("china", "tea"): 2, ("china", "wall"): 1}
    assert SwowWord.objects.get(list=swow, text="china").total == 21


def test_the_total_that_a_file_states_holds_where_rows_were_left_out(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "strength.csv", strength_line("yolk", "egg", 120, 264))

    swow = bring(path)

    assert SwowWord.objects.get(list=swow, text="yolk").total == 264


def test_bad_lines_are_counted_and_the_first_are_named(tmp_path: Path) -> None:
    good = strength_line("yolk", "egg", 1, 2)
    path = write_lines(tmp_path / "strength.csv", good, "yolk\thalf a line", "", *["yolk\t\t1\t2\t0.5"] * 25)

    swow = bring(path)

    assert (swow.status, swow.rows, swow.bad_lines, len(swow.problems)) == ("ready", 1, 26, 20)
    assert swow.problems[:2] == [
        "Line 3: it has 2 fields, and the first line 5.",
        "Line 5: the response is missing.",
    ]


def test_a_line_without_an_end_is_one_bad_line(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "strength.csv", "x" * 100_000, strength_line("yolk", "egg", 1, 2))

    swow = bring(path)

    assert (swow.rows, swow.bad_lines) == (1, 1)
    assert swow.problems == ["Line 2: it has 1 fields, and the first line 5."]


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        pytest.param(b"word,frequency\na,1\n", "swow.file_refused", "no file of associations", id="other"),
        pytest.param(b"", "swow.file_refused", "first line is empty", id="empty"),
        pytest.param(b"\x1f\x8bnonsense", "swow.file_refused", "cannot be read", id="broken gzip"),
    ],
)
def test_a_file_of_another_kind_is_refused_at_its_head(
    tmp_path: Path, content: bytes, code: str, words: str
) -> None:
    path = tmp_path / "strength.csv"
    path.write_bytes(content)

    with pytest.raises(RuleBroken, match=words) as refused:
        bring(path)

    assert refused.value.code == code
    assert not SwowList.objects.exists()


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RuleBroken, match=r"missing\.csv: It cannot be read"):
        bring(tmp_path / "missing.csv")

    assert not SwowList.objects.exists()


def test_a_file_without_one_good_line_fails_in_words(tmp_path: Path) -> None:
    swow = bring(write_lines(tmp_path / "strength.csv", "yolk\tegg"))

    assert (swow.status, swow.imported_at) == ("failed", None)
    assert swow.problem == ("No line of it could be counted. Line 2: it has 2 fields, and the first line 5.")
    assert ready_list("swow-en") is None


def test_a_packed_file_that_breaks_off_fails_in_words(tmp_path: Path) -> None:
    path = tmp_path / "strength.csv.gz"
    plain = write_strengths(tmp_path / "plain.csv", make_rows(2_000, seed=1)).read_bytes()
    path.write_bytes(gzip.compress(plain)[:-2_000])

    swow = bring(path)

    assert swow.status == "failed"
    assert "Use a whole copy" in swow.problem
    assert ready_list("swow-en") is None


def test_the_same_file_is_imported_once(tmp_path: Path) -> None:
    path = write_strengths(tmp_path / "strength.csv", YOLK)
    first = bring(path)

    second = bring(path, name="another name")

    assert second == first
    assert SwowList.objects.count() == 1
    assert edges_of(first) == {(cue, response): people for cue, response, people, _ in YOLK}


def test_again_makes_another_list_of_the_same_file(tmp_path: Path) -> None:
    path = write_strengths(tmp_path / "strength.csv", YOLK)
    first = bring(path)

    second = bring(path, name="another", again=True)

    assert second != first
    assert edges_of(second) == edges_of(first)


def test_a_name_that_is_taken_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    here = make_list(YOLK, name="swow-en")

    with pytest.raises(RuleBroken, match="Give this one another name") as refused:
        bring(write_strengths(tmp_path / "strength.csv", said("a", ("b", 1))))

    assert refused.value.code == "swow.name_taken"
    assert list(SwowList.objects.all()) == [here]
    assert len(edges_of(here)) == 4


def test_a_name_that_is_too_long_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RuleBroken, match="name: "):
        bring(write_strengths(tmp_path / "strength.csv", YOLK), name="x" * 129)

    assert not SwowList.objects.exists()


class Broken(Exception):
    """Stands for the end of the process."""


def break_off_after(slices: int) -> Callable[[SwowList, int], None]:
    told = Counter[str]()

    def tell(swow: SwowList, read: int) -> None:
        told["slices"] += 1
        if told["slices"] == slices:
            raise Broken

    return tell


def test_what_was_broken_off_is_seen_by_nobody_and_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_slices, "SLICE", 100)
    rows = list(make_rows(1_000, seed=3))
    path = write_strengths(tmp_path / "strength.csv", rows)
    with pytest.raises(Broken):
        bring(path, tell=break_off_after(4))
    half = SwowList.objects.get()
    cue = rows[0][0]

    unseen = (
        ready_list("swow-en"),
        associations_of(swow=half, word=cue, limit=5),
        words(swow=half, texts=[cue]),
    )
    whole = bring(path)

    assert unseen == (None, [], {})
    assert (half.status, half.rows, half.lines_done) == ("importing", 400, 401)
    assert whole == half
    assert (whole.status, whole.rows, whole.lines_done) == ("ready", 1_000, 1_001)
    assert edges_of(whole) == {(cue, response): people for cue, response, people, _ in rows}


def test_a_slice_that_fails_leaves_nothing_of_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(totals: object) -> None:
        raise Broken

    path = write_strengths(tmp_path / "strength.csv", YOLK)
    write_totals = graph_storage._write_totals
    monkeypatch.setattr(graph_storage, "_write_totals", fail)
    with pytest.raises(Broken):
        bring(path)
    monkeypatch.setattr(graph_storage, "_write_totals", write_totals)
    after = (SwowList.objects.get().lines_done, SwowEdge.objects.count(), SwowWord.objects.count())

    whole = bring(path)

    assert after == (1, 0, 0)
    assert edges_of(whole) == {(cue, response): people for cue, response, people, _ in YOLK}


def test_two_imports_of_one_file_add_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_slices, "SLICE", 100)
    rows = list(make_rows(500, seed=4))
    path = write_strengths(tmp_path / "strength.csv", rows)
    finished: list[SwowList] = []

    def overtaken(swow: SwowList, read: int) -> None:
        if not finished:
            finished.append(bring(path))

    with pytest.raises(RuleBroken, match="by another process") as refused:
        bring(path, tell=overtaken)

    assert refused.value.code == "swow.imported_elsewhere"
    assert edges_of(finished[0]) == {(cue, response): people for cue, response, people, _ in rows}
    assert SwowList.objects.get().rows == 500


def test_a_list_that_is_removed_meanwhile_takes_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_slices, "SLICE", 2)

    def remove(swow: SwowList, read: int) -> None:
        remove_list(swow=SwowList.objects.get(), by=make_user(), now=NOW)

    with pytest.raises(RuleBroken, match="was removed meanwhile"):
        bring(write_strengths(tmp_path / "strength.csv", YOLK), tell=remove)

    assert SwowList.objects.get().status == "leaving"
    assert SwowEdge.objects.count() == 2


class Tap:
    """A file whose lines are made and counted as they are read."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self._lines = chain([HEAD], (strength_line(*row) for row in rows))
        self.poured = 0

    def readline(self, limit: int) -> bytes:
        line = next(self._lines, None)
        if line is None:
            return b""
        self.poured += line != HEAD
        return f"{line}\n".encode()


def test_an_import_holds_one_slice_of_the_file_however_long_that_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_slices, "SLICE", 200)
    monkeypatch.setattr(graph_storage, "REMEMBERED", 300)
    taps: list[Tap] = []
    stores: list[graph_storage.Store] = []
    path = write_strengths(tmp_path / "strength.csv", [])
    held: list[int] = []
    remembered: list[int] = []

    @contextmanager
    def opened(path: Path) -> Iterator[tuple[Any, Callable[[], int]]]:
        taps.append(Tap(iter(make_rows(6_000, seed=5))))
        yield taps[-1], lambda: taps[-1].poured

    def tell(swow: SwowList, read: int) -> None:
        held.append(read - swow.rows)
        remembered.append(len(stores[0]._rows))

    def make_store(swow: SwowList) -> graph_storage.Store:
        stores.append(graph_storage.Store(swow))
        return stores[-1]

    monkeypatch.setattr(file_slices, "opened", opened)
    monkeypatch.setattr(list_imports, "Store", make_store)
    swow = bring(path, tell=tell)

    assert swow.rows == 6_000
    assert held == [0] * 30  # every row that was read is written
    assert max(remembered) <= 300 + 2 * 200
    assert swow.words_count > 2_000


def test_a_slice_takes_a_few_statements_whatever_is_in_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: Any
) -> None:
    monkeypatch.setattr(file_slices, "SLICE", 400)
    counts: list[int] = []

    def count(swow: SwowList, read: int) -> None:
        counts.append(len(connection.queries_log))

    rows = make_rows(2_000, seed=6)
    with django_assert_max_num_queries(80):
        bring(write_strengths(tmp_path / "strength.csv", rows), tell=count)

    taken = [later - earlier for earlier, later in pairwise(counts)]
    assert len(taken) == 4
    assert max(taken) <= 9  # savepoint, list, words found, words made, edges, totals of each cue
