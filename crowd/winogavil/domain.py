"""The rules of the association game that need no database."""

import re
from collections.abc import Collection, Iterable, Mapping
from hashlib import sha256
from typing import Any

CREATE = "winogavil.create"
SOLVE = "winogavil.solve"
SOLVER_TEST = "winogavil.solver_test"
CREATOR_TEST = "winogavil.creator_test"
# The tasks in which people invent words.
CREATING = (CREATE, CREATOR_TEST)
# The measures recorded of work: the solver's, and the two of an association's author.
JACCARD = "jaccard"
FOOL = "fool"
SOLVABLE = "solvable"

CUE = re.compile(r"[^\W\d_]{2,30}")
CUE_WITH_MARKS = re.compile(r"(?=.{2,30}\Z)[^\W\d_]+(?:[-'’][^\W\d_]+)*")
SIZES = (5, 6, 10, 12)
MOST_CHOSEN = {5: 3, 6: 4, 10: 5, 12: 5}
SOLVERS_WANTED = 3
SPYMASTERS_WANTED = 3
# A test is given to every worker who comes: its items never run out of answers needed.
ANYBODY = 30_000
FEWEST_CHOSEN = 2
ANSWERS_WANTED = {
    SOLVE: SOLVERS_WANTED,
    CREATE: SPYMASTERS_WANTED,
    SOLVER_TEST: ANYBODY,
    CREATOR_TEST: ANYBODY,
}
# The paper's least mean of the solvers, in per cent, from which an association is selected.
SELECTION_THRESHOLD = 80
# The paper's workers: more than 98 % and more than 5,000 approved, in one of four countries.
PAPER_ASKS: tuple[Mapping[str, Any], ...] = (
    {"QualificationTypeId": "000000000000000000L0", "Comparator": "GreaterThan", "IntegerValues": [98]},
    {"QualificationTypeId": "00000000000000000040", "Comparator": "GreaterThan", "IntegerValues": [5000]},
    {
        "QualificationTypeId": "00000000000000000071",
        "Comparator": "In",
        "LocaleValues": [{"Country": country} for country in ("US", "GB", "AU", "NZ")],
    },
)
# The paper's bonuses for making an association, as a study's bonus table.
WINOGAVIL_TIERS: tuple[Mapping[str, Any], ...] = (
    {
        "name": "fools the model",
        "kind": "tiers",
        "measure": FOOL,
        "when": {"measure": SOLVABLE, "at_least": 80},
        "tiers": [
            {"from": 50, "below": 60, "amount": "0.03"},
            {"from": 60, "below": 67, "amount": "0.07"},
            {"from": 67, "below": 80, "amount": "0.18"},
            {"from": 80, "amount": "0.27"},
        ],
    },
)

# A solver's bonus by the Jaccard index, as a study's bonus table. The paper names no amounts; these give a
# cent for each third of the index, so that a right answer earns the paper's $0.03 for solving once more.
SOLVER_TIERS: tuple[Mapping[str, Any], ...] = (
    {
        "name": "by the right pictures you found",
        "kind": "tiers",
        "measure": JACCARD,
        "tiers": [
            {"from": 33, "below": 66, "amount": "0.01"},
            {"from": 66, "below": 100, "amount": "0.02"},
            {"from": 100, "amount": "0.03"},
        ],
    },
)


def is_cue(cue: str, *, inner_marks: bool = False) -> bool:
    return bool((CUE_WITH_MARKS if inner_marks else CUE).fullmatch(cue))


def may_choose(*, candidates: int, chosen: int) -> bool:
    return candidates in SIZES and FEWEST_CHOSEN <= chosen <= MOST_CHOSEN[candidates]


def check_association(*, cue: str, candidates: int, chosen: int, inner_marks: bool = False) -> None:
    """Check the game's rules for an association from a file. Raises ValueError that says what to correct."""
    if not is_cue(cue, inner_marks=inner_marks):
        marks = ", hyphens and apostrophes within it" if inner_marks else ""
        raise ValueError(f"The cue {cue!r} must be one word of 2 to 30 letters{marks}.")
    if candidates not in SIZES:
        raise ValueError(f"An association has {', '.join(map(str, SIZES))} candidates, not {candidates}.")
    if not may_choose(candidates=candidates, chosen=chosen):
        raise ValueError(
            f"Of {candidates} candidates 2 to {MOST_CHOSEN[candidates]} may be chosen, not {chosen}."
        )


def reaches(numerator: int, denominator: int, *, threshold: int) -> bool:
    """True if the share is at least the threshold, in per cent; compared exactly, in whole numbers."""
    return 100 * numerator >= threshold * denominator


def is_name_of(cue: str, labels: Collection[str]) -> bool:
    """True if the cue names a picture shown, which is no association; each word of a concept names it."""
    named = {word for label in labels for word in (label.casefold(), *label.casefold().split())}
    return cue.casefold() in named


def set_key(names: Iterable[str]) -> str:
    """Key of a set of candidates, in whatever order; `names` are pictures' keys, or a recording's names."""
    return sha256("\n".join(sorted(names)).encode()).hexdigest()[:32]
