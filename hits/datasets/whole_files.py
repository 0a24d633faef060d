"""Files that exist whole or not at all."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import IO, Any


@contextmanager
def appending(path: Path, *, at: int) -> Iterator[IO[bytes]]:
    """Open a file for writing from byte `at`, dropping what is behind it. On disk when the block ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("r+b" if path.exists() else "w+b") as file:
        file.truncate(at)
        file.seek(at)
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Write under a draft name and rename at the end: the name is a whole file's, or does not exist."""
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
