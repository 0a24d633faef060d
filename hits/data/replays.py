"""How recorded work of a task family is replayed: the interface, and where families register theirs."""

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
    """Feeds a recording through the services of live work: again it adds nothing, broken off it goes on."""

    family: ClassVar[str]
    files: ClassVar[tuple[str, ...]]

    def add_arguments(self, parser: ArgumentParser) -> None:  # noqa: B027 - a replay without options has none
        """Options of this family alone. What they are set to is part of what the replay is of."""

    @abstractmethod
    def replay(
        self, *, folder: Path, study: str, tell: Tell, now: datetime, **options: Any
    ) -> dict[str, Any]:
        """What came of it, ready for JSON. InvalidItems names the bad lines before anything is written."""


def register(replay: Replay) -> None:
    """Called from the family's AppConfig.ready."""
    _replays[replay.family] = replay


def registered() -> dict[str, Replay]:
    return dict(sorted(_replays.items()))


def get(family: str) -> Replay:
    if family not in _replays:
        raise CrowdError(f"Nobody can replay {family!r}. Known: {', '.join(sorted(_replays))}.")
    return _replays[family]
