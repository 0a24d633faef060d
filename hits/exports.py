"""A study's data as files, family by family: the interface, and where it registers."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from hits.errors import CrowdError
from hits.models import Study

# How many rows are written, and of how many.
Tell = Callable[[int, int], None]
FORMATS = ("csv", "jsonl", "parquet")
_exports: dict[str, "Export"] = {}


@dataclass(frozen=True, kw_only=True)
class Wanted:
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


class Export(ABC):
    """The data of one task family. Files are written row by row: memory stays flat."""

    family: ClassVar[str]
    sources: ClassVar[tuple[str, ...]]

    @abstractmethod
    def export(self, *, wanted: Wanted, folder: Path, tell: Tell, now: datetime) -> dict[str, Any]:
        """What was written, ready for JSON. A file that is there under its name is whole."""


def register(export: Export) -> None:
    """Called from an AppConfig.ready of the family."""
    _exports[export.family] = export


def get(family: str) -> Export:
    if family not in _exports:
        raise CrowdError(f"Nobody can export {family!r}. Known: {', '.join(sorted(_exports))}.")
    return _exports[family]
