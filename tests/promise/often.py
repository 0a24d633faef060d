"""Decorators for promises tested on generated schedules, the same ones each time except in the long form."""

import os
from typing import Any

from hypothesis import HealthCheck, Phase
from hypothesis import settings as examples


def in_ci(most: int, *, by_hand: int) -> int:
    """The number of schedules: more in CI, fewer where a person waits for them."""
    return most if "CI" in os.environ else by_hand


def tried(most: int, *, is_long: bool) -> Any:
    return examples(
        max_examples=most,
        deadline=None,
        database=None,
        derandomize=not is_long,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
