"""The rules of the association game that need no database."""

import re
from collections.abc import Mapping
from typing import Any

CUE = re.compile(r"[^\W\d_]{2,30}")
SIZES = (5, 6, 10, 12)
MOST_CHOSEN = {5: 3, 6: 4, 10: 5, 12: 5}
SOLVERS_WANTED = 3
SPYMASTERS_WANTED = 3
FEWEST_CHOSEN = 2
# What making an association earns by the paper, as a study's bonus table.
WINOGAVIL_TIERS: tuple[Mapping[str, Any], ...] = (
    {
        "name": "fools the model",
        "kind": "tiers",
        "measure": "fool",
        "when": {"measure": "solvable", "at_least": 80},
        "tiers": [
            {"from": 50, "below": 60, "amount": "0.03"},
            {"from": 60, "below": 67, "amount": "0.07"},
            {"from": 67, "below": 80, "amount": "0.18"},
            {"from": 80, "amount": "0.27"},
        ],
    },
)


def check_association(*, cue: str, candidates: int, chosen: int) -> None:
    """Raises ValueError with what to mend."""
    if not CUE.fullmatch(cue):
        raise ValueError(f"The cue {cue!r} must be one word of 2 to 30 letters.")
    if candidates not in SIZES:
        raise ValueError(f"An association has {', '.join(map(str, SIZES))} candidates, not {candidates}.")
    if not FEWEST_CHOSEN <= chosen <= MOST_CHOSEN[candidates]:
        raise ValueError(
            f"Of {candidates} candidates 2 to {MOST_CHOSEN[candidates]} may be chosen, not {chosen}."
        )
