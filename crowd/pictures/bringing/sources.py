"""Folders and archives, read in one way. An archive is never unpacked: each file is read on demand."""

import lzma
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO
from zipfile import BadZipFile, ZipFile

from crowd.pictures.errors import BadPicture
from crowd.pictures.files.contents import MOST_BYTES
from hits.core.errors import InvalidItems

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".svg"})
MOST_FILES = 20_000
# Errors of decompression over a damaged member, or over one with a password.
DAMAGED = (BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError, zlib.error, lzma.LZMAError)


class Source(ABC):
    """A collection of files by their names, with / between folders."""

    @abstractmethod
    def names(self) -> Sequence[str]:
        """Names of all files, in order, without what systems hide beside them."""

    @abstractmethod
    def __contains__(self, name: object) -> bool:
        """Whether a list may name this file."""

    @abstractmethod
    def read(self, name: str) -> bytes:
        """The content of a file. Raises BadPicture if it cannot be read, or is too large."""

    def pictures(self) -> list[str]:
        return [name for name in self.names() if PurePosixPath(name).suffix.lower() in SUFFIXES]

    def lists(self) -> list[str]:
        """Names of lists that may say what the pictures show."""
        return [name for name in self.names() if name.lower().endswith(".csv")]


class Folder(Source):
    def __init__(self, path: Path) -> None:
        self._path = path.resolve()

    def names(self) -> Sequence[str]:
        found = (one.relative_to(self._path) for one in self._path.rglob("*") if one.is_file())
        return sorted(one.as_posix() for one in found if not _is_hidden(one.as_posix()))

    def __contains__(self, name: object) -> bool:
        path = self._path_of(str(name))
        return path is not None and path.is_file()

    def read(self, name: str) -> bytes:
        path = self._path_of(name)
        if path is None:
            raise BadPicture("The file lies outside the folder. Put it beside the list.")
        try:
            with path.open("rb") as file:
                return _limited(file)
        except OSError as problem:
            raise BadPicture(f"The file cannot be opened ({problem.strerror}).") from problem

    def _path_of(self, name: str) -> Path | None:
        """The path of a file; None for a name that leads outside the folder."""
        try:
            path = (self._path / name).resolve()
        except (OSError, ValueError):
            return None
        return path if path.is_relative_to(self._path) else None


class Archive(Source):
    """A ZIP file as a source."""

    def __init__(self, zip_file: ZipFile) -> None:
        self._zip = zip_file

    def names(self) -> Sequence[str]:
        found = [one.filename for one in self._zip.infolist() if not one.is_dir()]
        return sorted(name for name in set(found) if not _is_hidden(name))

    def __contains__(self, name: object) -> bool:
        return name in self._zip.NameToInfo

    def read(self, name: str) -> bytes:
        try:
            with self._zip.open(name) as file:
                return _limited(file)
        except KeyError:
            raise BadPicture("The archive holds no file of this name.") from None
        except DAMAGED as problem:
            raise BadPicture(
                "The file cannot be read out of the archive: it is damaged, or has a password."
            ) from problem


@contextmanager
def open_archive(file: IO[bytes]) -> Iterator[Archive]:
    """Open a ZIP file. Raises InvalidItems if it cannot be read, or has too many files."""
    try:
        zip_file = ZipFile(file)
    except (BadZipFile, OSError, ValueError, NotImplementedError) as problem:
        raise InvalidItems(["This is no ZIP archive that can be read. Pack the folder again."]) from problem
    with zip_file:
        if len(zip_file.infolist()) > MOST_FILES:
            raise InvalidItems([f"An archive holds at most {MOST_FILES} files. Split it."])
        yield Archive(zip_file)


def _limited(file: IO[bytes]) -> bytes:
    """The content, read up to one byte more than is allowed. Raises BadPicture if it is longer."""
    content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise BadPicture(f"The file has more than {MOST_BYTES // 1_000_000} MB. Make the picture smaller.")
    return content


def _is_hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return any(part.startswith(".") or part == "__MACOSX" for part in parts)
