"""Tables of the results, as the page shows them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crowd.winoground.domain.caption_scores import CHANCE, Kind, Right
from crowd.winoground.domain.statistics import Share
from crowd.winoground.domain.summaries import Summary, summarize
from crowd.winoground.queries.parts import Part, parts_of
from crowd.winoground.queries.scoring import Line, ProjectScores, Scorer
from hits.datasets.columns import TEXT
from hits.datasets.correlations import Correlation, chance_of, correlate
from hits.datasets.stat_table import SHARE, UNKNOWN, WORDS, ShownCell, StatTable, head, percent
from hits.datasets.vega_charts import Chart, Estimate, draw_estimates
from scoring.score_statistics import Correlation, chance_of, correlate

# With fewer examples, a single one moves a share by more than five points.
FEW = 20
LEAST_P = 0.0001
SCORES = (
    head("Scores of", TEXT),
    head("Examples"),
    head("Open"),
    *(head(kind.capitalize(), SHARE) for kind in Kind),
)
RELATED = (
    head("Scores of", TEXT),
    head("Examples"),
    *(
        one
        for kind in Kind
        for one in (head(f"{kind.capitalize()}: r", WORDS), head("p", WORDS, name=f"{kind}_p"))
    ),
)
SORTS = ("name", "examples", *Kind)


@dataclass(frozen=True, kw_only=True)
class PartRow:
    part: Part
    of: int
    is_small: bool
    shares: Sequence[ShownCell]
    summary: Summary


def scores_table(found: ProjectScores, lines: Sequence[Line]) -> StatTable:
    """Chance first, then people and every model over these lines."""
    summaries = [(scorer.name, summarize(rights_of(scorer, lines))) for scorer in found.scorers]
    chances = [percent(share, 2) for share in CHANCE.values()]
    rows = [(name, one.of, len(lines) - one.of, *_shares(one)) for name, one in summaries]
    return StatTable(
        name="scores",
        title="People beside models",
        columns=SCORES,
        rows=[("Chance", None, None, *chances), *rows],
        note="Bold, with ▲: above chance. Below each share its 95 % interval: the examples are dealt by "
        "number, in turn, into four groups, and the interval is the mean of the groups by Student's t with "
        "three degrees of freedom, never below 0 or above 100. The files have all scores, also by tag.",
        charts=[chart for kind in Kind for chart in _chart(kind, summaries)],
    )


def related_table(found: ProjectScores, lines: Sequence[Line]) -> StatTable:
    rows = [
        (
            scorer.name,
            len(rights_of(scorer, lines)),
            *(words for kind in Kind for words in _said(correlation(scorer, lines, kind))),
        )
        for scorer in found.scorers
    ]
    return StatTable(
        name="correlations",
        title="Correlation with the length of captions",
        columns=RELATED,
        rows=rows,
        about="Pearson's r between the number of words of an example's captions and being right, 1 or 0; and "
        "p by Student's t, both sides.",
        note="“–”: nothing can be said, because there are fewer than three examples, or all are alike.",
    )


def shared_lines(found: ProjectScores) -> list[Line]:
    rights = [scorer.rights for scorer in found.scorers if scorer.rights]
    return [line for line in found.lines if rights and all(line.pk in known for known in rights)]


def part_rows(scorer: Scorer, lines: Sequence[Line], *, sort: str = "") -> list[PartRow]:
    """Rows of parts with at least one scored example."""
    rows = [_part_row(part, scorer) for part in parts_of(lines)]
    known = [row for row in rows if row.of]
    name = sort.removeprefix("-")
    if name not in SORTS:
        return known
    return sorted(known, key=lambda row: _place(row, name), reverse=sort.startswith("-"))


def correlation(scorer: Scorer, lines: Iterable[Line], kind: Kind) -> Correlation | None:
    """The correlation between the number of words in both captions and being right."""
    known = (line for line in lines if line.pk in scorer.rights)
    return correlate((line.words, int(scorer.rights[line.pk].by(kind))) for line in known)


def rights_of(scorer: Scorer, lines: Iterable[Line]) -> list[Right]:
    return [scorer.rights[line.pk] for line in lines if line.pk in scorer.rights]


def _part_row(part: Part, scorer: Scorer) -> PartRow:
    summary = summarize(rights_of(scorer, part.lines))
    return PartRow(
        part=part, of=summary.of, is_small=summary.of < FEW, shares=_shares(summary), summary=summary
    )


def _shares(summary: Summary) -> list[ShownCell]:
    return [_shown(summary.by(kind), kind) for kind in Kind]


def _shown(share: Share, kind: Kind) -> ShownCell:
    if share.value is None:
        return ShownCell(words=UNKNOWN)
    interval = share.interval
    return ShownCell(
        words=percent(share.value, 2),
        below=f"{100 * interval.low:.2f} to {100 * interval.high:.2f}" if interval else "",
        mark="above chance" if share.value > CHANCE[kind] else "",
    )


def _chart(kind: Kind, summaries: Sequence[tuple[str, Summary]]) -> Iterator[Chart]:
    """A chart of one score, or none where there is nothing to draw."""
    known = [(name, one.by(kind)) for name, one in summaries if one.by(kind).of]
    rows = [
        Estimate(
            label=name,
            share=float(share.value or 0),
            interval=(share.interval.low, share.interval.high) if share.interval else None,
            words=percent(share.value),
        )
        for name, share in known
    ]
    if rows:
        yield draw_estimates(
            rows, name=kind, caption=kind.capitalize(), limit=float(CHANCE[kind]), limit_name="chance"
        )


def _place(row: PartRow, name: str) -> tuple[float, str]:
    if name == "name":
        return (0, row.part.name.casefold())
    value = row.of if name == "examples" else float(row.summary.by(Kind(name)).value or 0)
    return (value, row.part.name.casefold())


def _said(one: Correlation | None) -> tuple[str, str]:
    if one is None:
        return UNKNOWN, UNKNOWN
    p = chance_of(one)
    return f"{one.r:+.2f}", f"below {LEAST_P}" if p < LEAST_P else f"{p:.4f}"
