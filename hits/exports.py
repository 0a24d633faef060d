"""A study's data as files, family by family: the interface, and where it registers."""

from abc import ABC, abstractmethod
from argparse import ArgumentParser
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from hits.datasets.writing import FORMATS, Tell
from hits.errors import CrowdError
from hits.models import Study

__all__ = ["FORMATS", "Export", "Tell", "Wanted", "get", "register", "registered"]
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
    # Whose work can be named; empty: it is all the same.
    sources: ClassVar[tuple[str, ...]]
    formats: ClassVar[tuple[str, ...]] = FORMATS

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: B027 - an export without options has none
        """Options of this family alone."""

    @abstractmethod
    def export(
        self, *, wanted: Wanted, folder: Path, tell: Tell, now: datetime, **options: Any
    ) -> dict[str, Any]:
        """What was written, ready for JSON. A file that is there under its name is whole."""


def register(export: Export) -> None:
    """Called from an AppConfig.ready of the family."""
    _exports[export.family] = export


def registered() -> dict[str, Export]:
    return dict(sorted(_exports.items()))


def get(family: str) -> Export:
    if family not in _exports:
        raise CrowdError(f"Nobody can export {family!r}. Known: {', '.join(sorted(_exports))}.")
    return _exports[family]
