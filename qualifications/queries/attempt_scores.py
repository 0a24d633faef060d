"""Scores of attempts at a gate, counted in steps of ten per cent, beside the bar that they had to pass."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from qualifications.domain.gate_rules import Finding, read_finding
from qualifications.models import Attempt, Gate

# The newest of these are counted: a gate is changed by what came lately, and the page stays quick.
MOST = 2_000
STEP = 10
GRADED = (Attempt.Status.PASSED, Attempt.Status.FAILED)


@dataclass(frozen=True, kw_only=True)
class ScoreStep:
    """Attempts whose mean is at least `low` per cent, and below the next step; the last step has its end."""

    low: int
    met: int
    missed: int

    @property
    def high(self) -> int:
        return self.low + STEP


@dataclass(frozen=True, kw_only=True)
class MeasureScores:
    """The attempts of one measure, by steps. `bar` is the gate's own of now."""

    measure: str
    bar: int
    steps: Sequence[ScoreStep]

    @property
    def count(self) -> int:
        return sum(step.met + step.missed for step in self.steps)


def scores_of(gate: Gate) -> list[MeasureScores]:
    """Return the scores of each measure that the gate has a bar for, as they were graded."""
    graded = Attempt.objects.filter(gate=gate, status__in=GRADED).order_by("-pk")
    rows = graded.values_list("findings", flat=True)[:MOST]
    found = [finding for findings in rows for row in findings or () if (finding := read_finding(row))]
    return [
        MeasureScores(measure=bound.measure, bar=bound.percent, steps=_steps(found, bound.measure))
        for bound in gate.bounds
    ]


def _steps(found: Sequence[Finding], measure: str) -> list[ScoreStep]:
    mine = [one for one in found if one.bound.measure == measure]
    counts = Counter((_step_of(one), one.holds) for one in mine)
    return [
        ScoreStep(low=low, met=counts[low, True], missed=counts[low, False]) for low in range(0, 100, STEP)
    ]


def _step_of(finding: Finding) -> int:
    """Return where the step begins; a full score belongs to the last one."""
    return min(int(100 * finding.mean) // STEP * STEP, 100 - STEP)
