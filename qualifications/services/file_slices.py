"""An association file in slices of lines: however long it is, one slice is in memory."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from qualifications.domain.association_files import (
    LONGEST_LINE,
    Answer,
    FileRefused,
    Layout,
    LineRefused,
    read_answer,
    read_layout,
)

# Lines of one slice.
SLICE = 10_000
MOST_PROBLEMS = 20
CHUNK = 1 << 20
GZIP = b"\x1f\x8b"
UNREADABLE = (OSError, EOFError, zlib.error)


class Lines(Protocol):
    def readline(self, size: int, /) -> bytes: ...


@dataclass(kw_only=True)
class Slice:
    """Some lines of a file, their answers and problems, and how much of the file has been read with them."""

    lines: int = 0
    answers: list[Answer] = field(default_factory=list)
    bad_lines: int = 0
    problems: list[str] = field(default_factory=list)
    bytes_read: int = 0


def look_at(path: Path) -> tuple[str, Layout]:
    """Digest and layout of a file. Raises FileRefused if it cannot be read or holds no associations."""
    try:
        digest = sha256()
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
        with opened(path) as (file, _):
            return digest.hexdigest(), read_layout(file.readline(LONGEST_LINE))
    except UNREADABLE as error:
        raise FileRefused(f"It cannot be read: {error}.") from error


def slices(path: Path, *, layout: Layout, after: int) -> Iterator[Slice]:
    """Yield the lines after the first `after` in slices. Raises FileRefused if the file breaks off."""
    with opened(path) as (file, bytes_read):
        piece = Slice()
        for number, line in enumerate(_lines(file), start=1):
            if number > after:
                _take(line, number=number, layout=layout, piece=piece)
            if piece.lines == SLICE:
                piece.bytes_read = bytes_read()
                yield piece
                piece = Slice()
        if piece.lines:
            piece.bytes_read = bytes_read()
            yield piece


@contextmanager
def opened(path: Path) -> Iterator[tuple[Lines, Callable[[], int]]]:
    """Open a file, unpacked where it is packed, with a function that says how many of its bytes were read."""
    with path.open("rb") as file:
        is_packed = file.read(len(GZIP)) == GZIP
        file.seek(0)
        if not is_packed:
            yield file, file.tell
            return
        with gzip.open(file) as unpacked:
            yield unpacked, file.tell


def _take(line: bytes, *, number: int, layout: Layout, piece: Slice) -> None:
    piece.lines += 1
    try:
        answer = read_answer(line, layout=layout)
    except LineRefused as refusal:
        piece.bad_lines += 1
        if len(piece.problems) < MOST_PROBLEMS:
            piece.problems.append(f"Line {number}: {refusal}.")
    else:
        if answer is not None:
            piece.answers.append(answer)


def _lines(file: Lines) -> Iterator[bytes]:
    """Yield the lines; one that is too long is cut, and no more of it is kept in memory."""
    while line := _read(file):
        rest = line
        while not rest.endswith(b"\n") and len(rest) == LONGEST_LINE:
            rest = _read(file)
        yield line


def _read(file: Lines) -> bytes:
    try:
        return file.readline(LONGEST_LINE)
    except UNREADABLE as error:
        raise FileRefused(f"It cannot be read to its end ({error}). Use a whole copy of it.") from error
