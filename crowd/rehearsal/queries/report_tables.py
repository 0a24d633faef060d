"""A rehearsal's report as tables: what came of the runs on average, and the least and the most."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crowd.rehearsal.domain.spreads import Spread, spread_of
from crowd.rehearsal.models import Rehearsal
from crowd.rehearsal.queries.sides_table import sides_table
from hits.core.domain.counted_nouns import plural
from hits.datasets.bars import draw_bars
from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.stat_table import StatTable, head

Report = Mapping[str, Any]
SPREAD = (
    head("On average", NUMBER, digits=2, name="mean"),
    head("Least", NUMBER, digits=2),
    head("Most", NUMBER, digits=2),
)


def report_tables(rehearsal: Rehearsal) -> list[StatTable]:
    report, currency = rehearsal.report, rehearsal.batch.currency
    runs = plural(len(report["runs"]), "run")
    return [
        StatTable(
            name="figures",
            title="What it comes to",
            columns=[head("Figure", TEXT), *SPREAD],
            rows=[(name, *_row(spread)) for name, spread in figures_of(report, currency=currency)],
            about=f"Over {runs}. A run that does not end counts to its last day.",
            exact=True,
        ),
        *_beside(report, currency=currency),
        _starving(report),
        _cost_by_day(report, currency=currency),
        _counts(
            report,
            "bonuses",
            "Bonuses by tier",
            of="Rule and amount",
            empty="No bonus was earned in any run.",
        ),
        _counts(
            report,
            "refused",
            "Why work did not begin or was not finished",
            of="Reason",
            empty="Every worker who came found work and finished it.",
        ),
        sides_table(report, currency=currency),
    ]


def figures_of(report: Report, *, currency: str) -> Iterator[tuple[str, Spread]]:
    """Yield the figures of a report that have a value in at least one run."""
    for name, values in _figures(report["runs"], currency=currency):
        if spread := spread_of(value for value in values if value is not None):
            yield name, spread


def differences_of(
    left: Report, right: Report, *, currency: str
) -> Iterator[tuple[str, float | None, float | None, float | None]]:
    """Yield each figure's mean of two reports, and by how much it is more in the right one."""
    sides = [dict(figures_of(report, currency=currency)) for report in (left, right)]
    for name in dict.fromkeys(name for side in sides for name in side):
        here, there = (side[name]["mean"] if name in side else None for side in sides)
        yield name, here, there, None if here is None or there is None else round(there - here, 4)


def _figures(runs: Sequence[Report], *, currency: str) -> Iterator[tuple[str, list[float | None]]]:
    yield "Hours until all is final", [run["hours"] for run in runs]
    yield f"Cost in {currency}", [sum(run["cost_by_day"].values()) for run in runs]
    yield "Workers who came", [run["workers"]["came"] for run in runs]
    yield "Workers who worked", [run["workers"]["worked"] for run in runs]
    yield "Works handed in", [run["works"] for run in runs]
    yield "Works that a person reviews", [run["reviewed"] for run in runs]
    yield "Works of spammers among those paid", [run["spam"] for run in runs]
    yield "Items that are not final at the end", [sum(run["starving"].values()) for run in runs]
    for name in dict.fromkeys(name for run in runs for name in run.get("figures", {})):
        yield name, [run["figures"].get(name) for run in runs]
    yield f"Median hourly wage in {currency}", [run["wage"]["median"] for run in runs]
    yield "Workers below the wage floor", [run["wage"]["workers_below"] for run in runs]


def _beside(report: Report, *, currency: str) -> Iterator[StatTable]:
    """Yield the table of the design that was played beside this one, if there was one."""
    if other := report.get("beside"):
        yield StatTable(
            name="beside",
            title="Beside another design",
            columns=[
                head("Figure", TEXT),
                head(other["design"], NUMBER, name="other", digits=2),
                head("This design", NUMBER, digits=2),
                head("Difference", NUMBER, digits=2),
            ],
            rows=list(differences_of(other, report, currency=currency)),
            about="Both are played with the same people, from the same seed. Means over the runs.",
            note="A difference smaller than the spread of the runs may be chance.",
            exact=True,
        )


def _starving(report: Report) -> StatTable:
    return _counts(
        report,
        "starving",
        "Where it starves",
        of="What the items lack",
        about="Items that are not final when a run ends.",
        empty="Nowhere: in every run all items became final.",
    )


def _cost_by_day(report: Report, *, currency: str) -> StatTable:
    days = sorted(report["cost_by_day"].items(), key=lambda one: int(one[0]))
    rows = [(f"Day {day}", *_row(spread)) for day, spread in days]
    return StatTable(
        name="cost_by_day",
        title="Cost by day",
        columns=[head("Day", TEXT), *SPREAD],
        rows=rows,
        about=f"In {currency}, with fees, by days of the study: rewards when approved, bonuses when owed.",
        empty="Nothing was spent.",
        bars=draw_bars([(name, mean, f"{mean:.2f}") for name, mean, *_ in rows]),
        exact=True,
    )


def _counts(report: Report, name: str, title: str, *, of: str, empty: str, about: str = "") -> StatTable:
    return StatTable(
        name=name,
        title=title,
        columns=[head(of, TEXT, name="what"), *SPREAD],
        rows=[(words, *_row(spread)) for words, spread in sorted(report[name].items(), key=_most_first)],
        about=about,
        empty=empty,
        exact=True,
    )


def _most_first(one: tuple[str, Spread]) -> tuple[float, str]:
    return -one[1]["mean"], one[0]


def _row(spread: Spread) -> tuple[float, float, float]:
    return spread["mean"], spread["least"], spread["most"]
