"""Export of a study's data as files: what all families share, and where each registers its own."""

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
    "ExportChoice",
    "Naming",
    "Tell",
    "export_rows",
    "get",
    "register",
    "registered",
    "salt_of",
]
_exports: dict[str, "Export"] = {}


@dataclass(frozen=True, kw_only=True)
class ExportChoice:
    """Choice of what to export of a study, and in which form."""

    study: Study
    format: str
    # Also say where each row comes from.
    full: bool
    # Also include what is final but was not selected.
    everything: bool
    # Empty: all but those that are exported only by choice.
    sources: Collection[str]
    # Use the same pseudonyms in every linkable export of the study.
    linkable: bool


@dataclass(frozen=True, kw_only=True)
class Naming:
    """Pseudonyms of people in one set of files."""

    # A part of every pseudonym that was ever exported, so it must not change.
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
    """One file of a family's data. `read` yields the sources of its rows: only those that count, or all."""

    words: str
    columns: Sequence[Column]
    read: Callable[..., Iterable[Any]]

    def rows(self, source: Any, *, everything: bool, naming: Naming) -> Iterator[Row]:
        read = self.read(source, everything=everything)
        return rows_of(self.columns, read, person=naming.person)


class Export(ABC):
    """Export of one task family's data. Files are written row by row, so memory use stays flat."""

    family: ClassVar[str]
    # Sources that can be chosen; empty if there is only one.
    sources: ClassVar[tuple[str, ...]]
    formats: ClassVar[tuple[str, ...]] = FORMATS

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: B027 - an export without options has none
        """Add the options that only this family has."""

    @abstractmethod
    def export(
        self, *, wanted: ExportChoice, folder: Path, tell: Tell, now: datetime, **options: Any
    ) -> dict[str, Any]:
        """Return what was written, ready for JSON. A file that exists under its name is complete."""


def salt_of(study: Study, *, linkable: bool) -> str:
    """Return the salt of the pseudonyms: the same for all linkable files of the study, else a new one."""
    return str(study.public_id if linkable else uuid4())


def export_rows(
    path: Path, columns: Sequence[Column], rows: Iterable[Row], *, of: int, wanted: ExportChoice, tell: Tell,
    now: datetime,
) -> dict[str, Any]:  # fmt: skip
    """Write an export's first file, with progress reports, and return the report of the whole export."""
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
    """Register an export. Called from an AppConfig.ready of the family."""
    _exports[export.family] = export


def registered() -> dict[str, Export]:
    return dict(sorted(_exports.items()))


def get(family: str) -> Export:
    if family not in _exports:
        raise CrowdError(f"There is no export of {family!r}. Known: {', '.join(sorted(_exports))}.")
    return _exports[family]
