"""Ready rules of bonuses, which families offer and researchers put into a study's table by one click."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_presets: dict[str, "BonusPreset"] = {}


@dataclass(frozen=True, kw_only=True)
class BonusPreset:
    """Rules that belong together. They are added to a table, so that it may hold several of these."""

    key: str
    name: str
    description: str
    rules: Sequence[Mapping[str, Any]]


def register(presets: Iterable[BonusPreset]) -> None:
    """Register ready rules; called from AppConfig.ready of the family that offers them."""
    _presets.update({preset.key: preset for preset in presets})


def registered() -> Mapping[str, BonusPreset]:
    return _presets
