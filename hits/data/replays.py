"""Replay of recorded work of a task family: the interface, and where families register theirs."""

from abc import ABC, abstractmethod
from argparse import ArgumentParser
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from hits.core.errors import CrowdError

# What is being done, how many of it are done, and of how many (None: nobody knows yet).
Tell = Callable[[str, int, int | None], None]
_replays: dict[str, "Replay"] = {}


class Replay(ABC):
    """Replay of a recording through the services of live work. Idempotent; an interrupted one goes on."""

    family: ClassVar[str]
    files: ClassVar[tuple[str, ...]]

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: B027 - a replay without options has none
        """Add the options that only this family has. Their values are part of what identifies the replay."""

    @abstractmethod
    def replay(
        self, *, folder: Path, study: str, tell: Tell, now: datetime, **options: Any
    ) -> dict[str, Any]:
        """Return the result, ready for JSON. Raises InvalidItems with all bad lines before any writing."""


def register(replay: Replay) -> None:
    """Register a replay. Called from the family's AppConfig.ready."""
    _replays[replay.family] = replay


def registered() -> dict[str, Replay]:
    return dict(sorted(_replays.items()))


def get(family: str) -> Replay:
    if family not in _replays:
        raise CrowdError(f"There is no replay of {family!r}. Known: {', '.join(sorted(_replays))}.")
    return _replays[family]
