"""Where a release's files lie, and how they come there whole or not at all."""

import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import IO, Any

from crowd.winogavil.releases.models import Release


@contextmanager
def only_one(release: Release, *, wait: bool) -> Iterator[bool]:
    """One process at a time works on its files, and one that dies lets go. False: another one is at it."""
    release.folder.parent.mkdir(parents=True, exist_ok=True)
    path = release.folder.with_suffix(".lock")
    with path.open("ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True


@contextmanager
def appending(path: Path, *, at: int) -> Iterator[IO[bytes]]:
    """From that byte on: what was written behind it and not noted is written again. On the disk after."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("r+b" if path.exists() else "w+b") as file:
        file.truncate(at)
        file.seek(at)
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """The name stands for a whole file, or for none."""
    draft = path.with_suffix(f"{path.suffix}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    with draft.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    with replacing(path) as file:
        for piece in pieces:
            file.write(piece)


def describe(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": digest}


def remove(release: Release) -> None:
    shutil.rmtree(release.folder, ignore_errors=True)
    release.folder.with_suffix(".lock").unlink(missing_ok=True)
