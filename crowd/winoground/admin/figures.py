"""The results as tables, as the page shows them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from crowd.winoground.admin.charts import Chart, draw_chart
from crowd.winoground.domain.scores import CHANCE, Kind, Right
from crowd.winoground.domain.statistics import Correlation, Share, correlate
from crowd.winoground.domain.summaries import Summary, summarize
from crowd.winoground.queries.parts import Part, parts_of
from crowd.winoground.queries.scoring import Line, Scored, Scorer

UNKNOWN = "–"
# Below it a share moves by more than five points with one example.
FEW = 20
LEAST_P = 0.0001
SORTS = ("name", "examples", *Kind)


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A share in words, and whether it lies above chance."""

    words: str
    interval: str = ""
    is_above: bool = False


@dataclass(frozen=True, kw_only=True)
class Row:
    """`lacking`: of the examples that are asked, those without all four scores."""

    name: str
    of: int
    lacking: int
    shares: Sequence[Shown]
    scorer: Scorer
    summary: Summary


@dataclass(frozen=True, kw_only=True)
class PartRow:
    part: Part
    of: int
    is_small: bool
    shares: Sequence[Shown]
    summary: Summary


@dataclass(frozen=True, kw_only=True)
class Related:
    name: str
    of: int
    cells: Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class Results:
    scored: Scored
    rows: Sequence[Row]
    charts: Sequence[Chart]
    related: Sequence[Related]


def results_of(found: Scored, *, shared: bool = False) -> Results:
    """`shared`: only over the examples that everybody has scores of."""
    lines = shared_lines(found) if shared else found.lines
    rows = [_row(scorer, lines) for scorer in found.scorers]
    charts = [draw_chart(kind, [*((row.name, row.summary.by(kind)) for row in rows)]) for kind in Kind]
    return Results(
        scored=found,
        rows=rows,
        charts=[chart for chart in charts if chart],
        related=[_related(scorer, lines) for scorer in found.scorers],
    )


def shared_lines(found: Scored) -> list[Line]:
    rights = [scorer.rights for scorer in found.scorers if scorer.rights]
    return [line for line in found.lines if rights and all(line.pk in known for known in rights)]


def part_rows(scorer: Scorer, lines: Sequence[Line], *, sort: str = "") -> list[PartRow]:
    """Parts without any scored example are left out."""
    rows = [_part_row(part, scorer) for part in parts_of(lines)]
    known = [row for row in rows if row.of]
    name = sort.removeprefix("-")
    if name not in SORTS:
        return known
    return sorted(known, key=lambda row: _place(row, name), reverse=sort.startswith("-"))


def chance() -> Sequence[str]:
    return [percent(float(share)) for share in CHANCE.values()]


def percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def correlation(scorer: Scorer, lines: Iterable[Line], kind: Kind) -> Correlation | None:
    """Of the words of both captions with being right."""
    known = [line for line in lines if line.pk in scorer.rights]
    return correlate([line.words for line in known], [int(scorer.rights[line.pk].by(kind)) for line in known])


def rights_of(scorer: Scorer, lines: Iterable[Line]) -> list[Right]:
    return [scorer.rights[line.pk] for line in lines if line.pk in scorer.rights]


def _row(scorer: Scorer, lines: Collection[Line]) -> Row:
    summary = summarize(rights_of(scorer, lines))
    return Row(
        name=scorer.name,
        of=summary.of,
        lacking=len(lines) - summary.of,
        shares=_shares(summary),
        scorer=scorer,
        summary=summary,
    )


def _part_row(part: Part, scorer: Scorer) -> PartRow:
    summary = summarize(rights_of(scorer, part.lines))
    return PartRow(
        part=part, of=summary.of, is_small=summary.of < FEW, shares=_shares(summary), summary=summary
    )


def _shares(summary: Summary) -> list[Shown]:
    return [_shown(summary.by(kind), kind) for kind in Kind]


def _shown(share: Share, kind: Kind) -> Shown:
    if share.value is None:
        return Shown(words=UNKNOWN)
    interval = share.interval
    return Shown(
        words=percent(float(share.value)),
        interval=f"{100 * interval.low:.2f} to {100 * interval.high:.2f}" if interval else "",
        is_above=share.value > CHANCE[kind],
    )


def _place(row: PartRow, name: str) -> tuple[float, str]:
    if name == "name":
        return (0, row.part.name.casefold())
    value = row.of if name == "examples" else float(row.summary.by(Kind(name)).value or 0)
    return (value, row.part.name.casefold())


def _related(scorer: Scorer, lines: Sequence[Line]) -> Related:
    found = [correlation(scorer, lines, kind) for kind in Kind]
    of = sum(line.pk in scorer.rights for line in lines)
    return Related(name=scorer.name, of=of, cells=[_said(one) for one in found])


def _said(one: Correlation | None) -> tuple[str, str]:
    if one is None:
        return UNKNOWN, UNKNOWN
    return f"{one.r:+.2f}", f"below {LEAST_P}" if one.p < LEAST_P else f"{one.p:.4f}"
