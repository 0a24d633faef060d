"""The rules of the association game that need no database."""

import re

CUE = re.compile(r"[^\W\d_]{2,30}")
SIZES = (5, 6, 10, 12)
MOST_CHOSEN = {5: 3, 6: 4, 10: 5, 12: 5}
SOLVERS_WANTED = 3
FEWEST_CHOSEN = 2


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
