"""A study's data as files, family by family: what all of them share, and where each registers."""

from abc import ABC, abstractmethod
from argparse import ArgumentParser
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar
from uuid import UUID, uuid4

from hits.core import crypto
from hits.core.errors import CrowdError
from hits.datasets.columns import Column, Row, rows_of
from hits.datasets.file_writer import FORMATS, RowCounter, Tell, write_rows
from hits.studies.models import Study

__all__ = [
    "FORMATS",
    "DataFile",
    "Export",
    "Naming",
    "Tell",
    "Wanted",
    "export_rows",
    "get",
    "register",
    "registered",
    "salt_of",
]
_exports: dict[str, "Export"] = {}


@dataclass(frozen=True, kw_only=True)
class ExportChoice:
    """What of a study, and in which form."""

    study: Study
    format: str
    # Where each row comes from, too.
    full: bool
    # Also what is final and was not selected.
    everything: bool
    # None named: all but those that are given away only by choice.
    sources: Collection[str]
    # The same pseudonyms in every export of the study that asks for it.
    linkable: bool


@dataclass(frozen=True, kw_only=True)
class Naming:
    """How people are called in one set of files."""

    # A part of every pseudonym that was ever given away, so it stays as it is.
    family: str
    # Another one in every export, unless researchers want to follow people through several.
    salt: str
    _known: dict[UUID, str] = field(default_factory=dict)

    def person(self, public_id: UUID) -> str:
        if public_id not in self._known:
            self._known[public_id] = crypto.pseudonym(self.family, self.salt, str(public_id))
        return self._known[public_id]


@dataclass(frozen=True, kw_only=True)
class DataFile:
    """One file of a family's data. `read` yields what rows are made of, as far as it counts or all of it."""

    words: str
    columns: Sequence[Column]
    read: Callable[..., Iterable[Any]]

    def rows(self, source: Any, *, everything: bool, naming: Naming) -> Iterator[Row]:
        read = self.read(source, everything=everything)
        return rows_of(self.columns, read, person=naming.person)


class Export(ABC):
    """The data of one task family. Files are written row by row: memory stays flat."""

    family: ClassVar[str]
    # Whose work can be named; empty: it is all the same.
    sources: ClassVar[tuple[str, ...]]
    formats: ClassVar[tuple[str, ...]] = FORMATS

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: B027 - an export without options has none
        """Options of this family alone."""

    @abstractmethod
    def export(
        self, *, wanted: ExportChoice, folder: Path, tell: Tell, now: datetime, **options: Any
    ) -> dict[str, Any]:
        """What was written, ready for JSON. A file that is there under its name is whole."""


def salt_of(study: Study, *, linkable: bool) -> str:
    """Whoever asks for linkable files has the same pseudonyms in all of them."""
    return str(study.public_id if linkable else uuid4())


def export_rows(
    path: Path, columns: Sequence[Column], rows: Iterable[Row], *, of: int, wanted: ExportChoice, tell: Tell,
    now: datetime,
) -> dict[str, Any]:  # fmt: skip
    """The first file of an export is told how far it is, and everything is said of it."""
    count = RowCounter(of, tell)
    written = write_rows(path, columns, count.through(rows), form=wanted.format)
    return {
        **written,
        "file": str(path),
        "rows": count.done,
        "study": wanted.study.name,
        "exported_at": now.isoformat(),
    }


def register(export: Export) -> None:
    """Called from an AppConfig.ready of the family."""
    _exports[export.family] = export


def registered() -> dict[str, Export]:
    return dict(sorted(_exports.items()))


def get(family: str) -> Export:
    if family not in _exports:
        raise CrowdError(f"Nobody can export {family!r}. Known: {', '.join(sorted(_exports))}.")
    return _exports[family]
