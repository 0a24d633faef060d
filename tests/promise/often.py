"""How a promise is tried: on made-up schedules, the same ones each time but in the long form."""

import os
from typing import Any

from hypothesis import HealthCheck, Phase
from hypothesis import settings as examples


def in_ci(most: int, *, by_hand: int) -> int:
    """Whoever runs the tests by hand waits for them."""
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
