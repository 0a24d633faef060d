"""A published release with its board, and somebody outside who submits to it."""

from datetime import datetime
from io import BytesIO
from typing import Any
from uuid import UUID, uuid4

from crowd.benchmarks.benchmark_tasks import ReleasedItem
from crowd.benchmarks.models import Benchmark
from crowd.benchmarks.released_items import items_from
from crowd.benchmarks.services.benchmark_results import task_of
from crowd.boards.models import Board, Invitation, Submission
from crowd.boards.services import board_states, submitting
from crowd.releases.models import Release
from crowd.releases.services import release_states
from hits.common.spreadsheets import write_csv
from tests.crowd.benchmarks.making import make_benchmark, make_hiding
from tests.factories import NOW, make_user


def make_board(family: str = "winogavil", *, hides: bool = False, items: int = 6, **values: Any) -> Board:
    """An open board that takes submissions, with the family's benchmark."""
    benchmark = make_hiding(family, items=2 * items) if hides else make_benchmark(family, items=items)
    release = benchmark.release
    release_states.publish_release(release=release, by=make_user(), now=NOW)
    board = board_states.board_of(release)
    settings = {"takes_submissions": True, "daily_limit": 2, **values}
    board_states.change_board(board=board, values=settings, by=make_user(), now=NOW)
    board_states.open_board(board=board, by=make_user(), now=NOW)
    return board


def open_board_of(release: Release) -> Board:
    """The open page of a release that was not published before."""
    release_states.publish_release(release=release, by=make_user(), now=NOW)
    board = board_states.board_of(release)
    board_states.open_board(board=board, by=make_user(), now=NOW)
    return board


def benchmark_of(board: Board) -> Benchmark:
    """The benchmark that was made with the board."""
    return board.release.benchmarks.order_by("pk")[0]


def make_invitation(board: Board, *, name: str = "A lab") -> Invitation:
    return board_states.invite(board=board, name=name, by=make_user(), now=NOW)


def items_of(benchmark: Benchmark) -> list[ReleasedItem]:
    return [read.item for read in items_from(benchmark.release, task_of(benchmark))]


def best_file(benchmark: Benchmark, *, wrong: int = 0) -> BytesIO:
    """A file about what outsiders are told of: all of it right, but for the first so many items."""
    task = task_of(benchmark)
    told = [item for item in items_of(benchmark) if task.tell(item) is not None]
    lines = [
        [item.name, *_cells(benchmark, item, is_right=place >= wrong)] for place, item in enumerate(told)
    ]
    return BytesIO("".join(write_csv([one.name for one in task.columns], lines)).encode())


def _cells(benchmark: Benchmark, item: ReleasedItem, *, is_right: bool) -> list[Any]:
    task = task_of(benchmark)
    cells = task.write(item, RIGHT[benchmark.release.family](item, is_right=is_right))
    return [cells.get(one.name, "") for one in task.columns[1:]]


def _picks(item: ReleasedItem, *, is_right: bool) -> list[int]:
    return [place for place, one in enumerate(item.row["pictures"]) if bool(one["chosen"]) is is_right][
        : item.row["num_associations"]
    ]


def _match(item: ReleasedItem, *, is_right: bool) -> list[float]:
    return [1, 0, 0, 1] if is_right else [0, 1, 1, 0]


def _complete(item: ReleasedItem, *, is_right: bool) -> list[float]:
    is_generic = item.row["target"] == item.row["Associative Bias"]
    return [1.0, 0.0] if is_generic is is_right else [0.0, 1.0]


def _rank(item: ReleasedItem, *, is_right: bool) -> list[float]:
    return [1.0, 0.0] if is_right else [0.0, 1.0]


RIGHT: dict[str, Any] = {"winogavil": _picks, "winoground": _match, "winoventi": _complete, "whoops": _rank}


def submitted(
    invitation: Invitation,
    *,
    name: str = "their model",
    file: BytesIO | None = None,
    key: UUID | None = None,
    now: datetime = NOW,
) -> Submission:
    benchmark = benchmark_of(invitation.board)
    return submitting.submit(
        invitation=invitation,
        benchmark=benchmark,
        key=key or uuid4(),
        name=name,
        about="made elsewhere",
        file=file or best_file(benchmark),
        now=now,
    )
