"""The provider's rows beside ours, counted over all runs of a rehearsal, and the faults that came between."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from crowd.rehearsal.domain.sides import ALIKE, COUNTS, KINDS
from hits.common.currencies import in_money
from hits.datasets.columns import INTEGER, TEXT
from hits.datasets.stat_table import StatTable, head

NAMES = {"hits": "HITs", "answers": "Answers", "decisions": "Decisions", "payments": "Payments of bonuses"}
FAULTS: Mapping[str, str] = {
    "calls_refused": "calls that the provider refused",
    "answers_lost": "calls whose answer was lost",
    "events_lost": "events that were lost",
    "processes_killed": "processes that were killed",
}


def sides_table(report: Mapping[str, Any], *, currency: str) -> StatTable:
    sides = [run["both_sides"] for run in report["runs"]]
    return StatTable(
        name="both_sides",
        title="The provider's rows and ours",
        columns=[
            head("Rows", TEXT),
            head("Alike", INTEGER),
            head("Said differently", INTEGER, name="different"),
            head("Only at the provider", INTEGER, name="only_theirs"),
            head("Only here", INTEGER, name="only_ours"),
        ],
        rows=[(NAMES[kind], *_summed(sides, kind)) for kind in KINDS],
        about=" ".join(_faults(sides)),
        note=_paid(sides, currency=currency),
        exact=True,
    )


def _summed(sides: Sequence[Mapping[str, Any]], kind: str) -> Iterator[int]:
    for name in COUNTS:
        yield sum(side[kind][name] for side in sides)


def _faults(sides: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "Compared one by one, by their identifiers, with what they say, over all runs."
    came = {words: sum(side[name] for side in sides) for name, words in FAULTS.items()}
    if told := [f"{count} {words}" for words, count in came.items() if count]:
        yield f"In between there were {', '.join(told)}."


def _paid(sides: Sequence[Mapping[str, Any]], *, currency: str) -> str:
    if not any(side["payments"][ALIKE] for side in sides):
        return "Bonuses are paid in rehearsals with faults alone; otherwise they are only owed."
    theirs, ours = (in_money(sum(Decimal(side["paid"][who]) for side in sides), currency) for who in (0, 1))
    return f"The provider has paid {theirs}, and our books say {ours}."
