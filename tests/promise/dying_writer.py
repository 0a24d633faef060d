"""Processes that write a release, each killed at one moment: python -m tests.promise.dying_writer POINTS

The same release is made again and again. Whatever its process does to the disk or to its row is counted, and
the process kills itself before one of these acts, or with half of the bytes written; another one goes on. It
prints what was counted, how each process ended, and the digests of the release each time it was whole.
"""

import io
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Life:
    """A process that kills itself at an act of this number; of none, if that is zero."""

    def __init__(self, ends_at: int) -> None:
        self.acts, self._ends_at = 0, ends_at

    def act(self, last_words: Callable[[], object] = lambda: None) -> None:
        self.acts += 1
        if self.acts == self._ends_at:
            last_words()
            os.kill(os.getpid(), signal.SIGKILL)


class DyingFile(io.BufferedWriter):
    """A file of whose last piece only half is on the disk."""

    life: Life

    def write(self, piece: Any) -> int:
        self.life.act(lambda: self._write_half(piece))
        return super().write(piece)

    def _write_half(self, piece: Any) -> None:
        super().write(piece[: len(piece) // 2])
        self.flush()


@contextmanager
def living(life: Life) -> Iterator[None]:
    from unittest.mock import patch  # noqa: PLC0415

    from django.db import connection  # noqa: PLC0415

    open_file, replace = Path.open, Path.replace

    def open_dying(path: Path, mode: str = "r", *rest: Any, **more: Any) -> Any:
        file = open_file(path, mode, *rest, **more)
        if mode != "wb" or path.suffix != ".part":
            return file
        dying = DyingFile(file.detach())  # type: ignore[attr-defined]
        dying.life = life
        return dying

    def replace_dying(path: Path, target: Path) -> Path:
        life.act()
        return replace(path, target)

    def execute(run: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("UPDATE"):
            life.act()
        return run(sql, *rest)

    with (
        patch.object(Path, "open", open_dying),
        patch.object(Path, "replace", replace_dying),
        connection.execute_wrapper(execute),
    ):
        yield


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import logging  # noqa: PLC0415

    import django  # noqa: PLC0415  its settings are made first

    django.setup()
    logging.disable(logging.WARNING)
    import hits.datasets.parquet  # noqa: F401, PLC0415  once, and not by each process
    from crowd.releases.models import Release  # noqa: PLC0415
    from tests.crowd.releases.studies import make_of  # noqa: PLC0415

    points = int(sys.argv[1])
    release = ask(make_of("whoops", items=2))
    acts, first = live(0)
    assert first == 0, "It died by itself."
    sums, ends, again = digests(), [], []
    for point in range(1, points + 1):
        forget(release)
        ends.append([live(acts * point // (points + 1))[1], live(0)[1]])
        again.append(digests())
    same = [found == sums for found in again]
    print(json.dumps({"acts": acts, "ends": ends, "same": same, "status": Release.objects.get().status}))  # noqa: T201


def ask(study: Any) -> Any:
    from crowd.releases.services import release_states  # noqa: PLC0415
    from tests.factories import NOW, make_user  # noqa: PLC0415

    return release_states.make_release(
        study=study, family="whoops", by=make_user(), now=NOW, title="Data", version="1",
        licence="CC0", picture_licences=["CC BY 4.0"], split_seed=1,
    )  # fmt: skip


def live(ends_at: int) -> tuple[int, int]:
    """Write in a process of its own. Returns its number of acts, unless it was killed, and how it ended."""
    from django.db import connections  # noqa: PLC0415

    connections.close_all()
    reader, writer = os.pipe()
    if not (child := os.fork()):
        os.write(writer, write(Life(ends_at)).to_bytes(4))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        acts = int.from_bytes(told.read())
    return acts, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def write(life: Life) -> int:
    from django.utils import timezone  # noqa: PLC0415

    from crowd.releases.services import release_states  # noqa: PLC0415

    with living(life):
        while not release_states.write_releases(clock=timezone.now):
            pass
    return life.acts


def digests() -> dict[str, str]:
    from hashlib import sha256  # noqa: PLC0415

    from crowd.releases.models import Release  # noqa: PLC0415

    folder = Release.objects.get().folder
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def forget(release: Any) -> None:
    """Put the release back to its beginning, as of the same moment, without a file."""
    from crowd.releases.files.places import remove_files  # noqa: PLC0415

    release.refresh_from_db()
    release.status, release.files, release.counts, release.ready_at = "freezing", [], {}, None
    release.save()
    remove_files(release)


if __name__ == "__main__":
    main()
