"""What a race came to: figures of each side and their ratios, as a table and as values for JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from tests.bench.race.clients import high, spread
from tests.bench.race.contest import Pair, Result

NOTES = (
    "A ratio above 1 means that ours is faster or smaller; one without a heat is the lowest of all heats.",
    "Steps share the machine: while clients wait in line for one step, the others are answered faster.",
    "Only the web processes of ours run, without Redis: what they leave to the background is not done.",
    "Ours serves the whole product in each process, with its admin, its API and the families' pages.",
)


@dataclass(frozen=True, kw_only=True)
class Report:
    """The results of one race by the names of its heats, and what each side did not do."""

    name: str
    version: str
    pairs: Mapping[str, Pair]
    notes: Sequence[str]

    def values(self) -> dict[str, Any]:
        heats = {
            heat: {"ours": figures(pair.ours), self.name: figures(pair.theirs)}
            for heat, pair in self.pairs.items()
        }
        return {"version": self.version, "heats": heats, "not_alike": list(self.notes)}

    def ratios(self) -> dict[str, float]:
        """The ratios of every heat under its name, and without a name the lowest of them.

        Above 1 ours is faster, or takes less memory.
        """
        found = {heat: ratios_of(pair) for heat, pair in self.pairs.items()}
        lowest = {what: min(ratios[what] for ratios in found.values()) for what in next(iter(found.values()))}
        named = {f"{what}_{heat}": ratio for heat, ratios in found.items() for what, ratio in ratios.items()}
        kept = lowest | (named if len(found) > 1 else {})
        return {self.named(what): ratio for what, ratio in kept.items()}

    def named(self, what: str) -> str:
        """The ratio `submit_10` is called `turkle_submit_ratio_10`."""
        step, _, heat = what.partition("_")
        return "_".join(filter(None, (self.name, step, "ratio", heat)))

    def table(self) -> str:
        lines = [line for heat, pair in self.pairs.items() for line in rows(heat, self.name, pair)]
        ratios = [f"{name} {ratio}" for name, ratio in self.ratios().items()]
        return "\n".join([f"\n{self.name.upper()} {self.version}", *lines, "", *ratios, "", *self.notes, ""])


def figures(result: Result) -> dict[str, Any]:
    spreads = {
        f"{step}_{name}_ms": round(1000 * cut(values), 1)
        for step, values in result.times.items()
        for name, cut in (("p50", median), ("p95", high))
    }
    return {
        **spreads,
        "loops": len(result.times["loop"]),
        "submits_a_second": round(median(result.rates), 2),
        "memory_mb": round(result.memory_mb),
    }


def ratios_of(pair: Pair) -> dict[str, float]:
    """The ratios of the steps that both have, of submits a second, and of memory."""
    ours, theirs = pair.ours, pair.theirs
    both = [step for step in ours.times if step in theirs.times]
    steps = {step: median(theirs.times[step]) / median(ours.times[step]) for step in both}
    rate = median(ours.rates) / median(theirs.rates)
    found = {**steps, "rate": rate, "memory": theirs.memory_mb / ours.memory_mb}
    return {what: round(ratio, 2) for what, ratio in found.items()}


def rows(heat: str, name: str, pair: Pair) -> Iterator[str]:
    steps = list(dict.fromkeys([*pair.theirs.times, *pair.ours.times]))
    heads = "".join(f"{step:>18}" for step in steps)
    yield f"{heat:>8}  p50 / p95, ms{heads}     loops  submits/s  peak MB"
    for side, result in (("ours", pair.ours), (name, pair.theirs)):
        cells = "".join(f"{cell(result, step):>18}" for step in steps)
        rate = median(result.rates)
        yield f"{side:>23}{cells}{len(result.times['loop']):>10}{rate:>11.1f}{result.memory_mb:>9.0f}"


def cell(result: Result, step: str) -> str:
    return spread(result.times[step]) if step in result.times else "-"
