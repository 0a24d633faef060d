"""The rules of annotating associations that need no database."""

from collections import Counter
from collections.abc import Collection, Sequence
from fractions import Fraction
from hashlib import sha256

TYPES = "winogavil.types"
SKILLS = "winogavil.skills"
BASELINE = "winogavil.baseline"
TASKS = (TYPES, SKILLS, BASELINE)
# Measure of newcomers' solving; it pays like any solving, and is never mixed with it.
NEWCOMERS = "baseline"
ANNOTATORS_WANTED = 3
PER_CENT = 10

ASSOCIATION_TYPES = (
    "visually_salient",
    "visually_non_salient",
    "concept_related",
    "activity",
    "counting",
    "colors",
)
NON_VISUAL = (
    "kind_of",
    "attribute",
    "use_of",
    "general_knowledge",
    "word_sense",
    "location",
    "outcome",
)
VISUAL = ("activity", "humor", "analogy", "visual_similarity", "abstraction", "generalization")
# An answer of its own: an annotator who found no skill has not forgotten the question.
NONE = "none"
REASONING_SKILLS = (*NON_VISUAL, *VISUAL, NONE)


def named_by_most(answers: Sequence[Collection[str]]) -> list[str]:
    """Labels that more than half of the annotators name (of three, at least two); often none."""
    counts = Counter(label for labels in answers for label in set(labels))
    return sorted(label for label, count in counts.items() if 2 * count > len(answers))


def fleiss_kappa(answers: Sequence[Sequence[str]]) -> Fraction | None:
    """Agreement beyond chance where each annotator names one label. None where chance explains it all.

    Every item needs the same number of answers, at least two.
    """
    if not answers:
        return None
    raters, totals, agreed = len(answers[0]), Counter[str](), Fraction(0)
    for labels in answers:
        counts = Counter(labels)
        totals += counts
        agreed += Fraction(sum(count * (count - 1) for count in counts.values()), raters * (raters - 1))
    observed = agreed / len(answers)
    by_chance = sum(
        (Fraction(count, raters * len(answers)) ** 2 for count in totals.values()), start=Fraction(0)
    )
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


def rank(name: str, *, seed: int) -> bytes:
    """Sort key of a random draw that the seed repeats, whatever came in since."""
    return sha256(f"{seed}:{name}".encode()).digest()


def per_cent_of(count: int, *, per_cent: int) -> int:
    """Percentage of a count, rounded up: a tenth of eleven is two."""
    return -(-count * per_cent // 100)
