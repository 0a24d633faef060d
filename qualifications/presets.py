"""Presets from which a researcher starts a gate; families register what their papers ask for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Preset:
    key: str
    name: str
    description: str
    test_task: str
    opens: Sequence[str]
    grading: str
    rules: Sequence[Mapping[str, Any]] = field(default_factory=list)
    items: int = 10


PRESETS: dict[str, Preset] = {}


def register(presets: Iterable[Preset]) -> None:
    """Register presets; called from AppConfig.ready of the family whose tests they are."""
    PRESETS.update({preset.key: preset for preset in presets})
