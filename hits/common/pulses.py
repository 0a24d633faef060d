"""What a dispatcher knows of its sweeps, kept for whoever asks whether background work is done."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Pulse:
    """State of a dispatcher at one moment. Instants are seconds since 1970."""

    at: float
    # When a sweep last reported that it was run.
    done_at: float | None = None
    # Sweeps that were started and have not reported, by the first such start.
    unanswered: Mapping[str, float] = field(default_factory=dict)
    # Sweeps whose runs fail, by the first failure since a run that went well.
    failing: Mapping[str, float] = field(default_factory=dict)


def write_pulse(pulse: Pulse) -> str:
    return json.dumps(vars(pulse))


def read_pulse(text: str) -> Pulse | None:
    """Return what was written, or None if there is nothing that can be read."""
    try:
        return Pulse(**json.loads(text))
    except (ValueError, TypeError):
        return None
