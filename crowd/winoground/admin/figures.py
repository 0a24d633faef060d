"""Tables of the results, as the page shows them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crowd.winoground.domain.caption_scores import CHANCE, Kind, Right
from crowd.winoground.domain.statistics import Share
from crowd.winoground.domain.summaries import Summary, summarize
from crowd.winoground.queries.parts import Part, parts_of
from crowd.winoground.queries.scoring import Line, ProjectScores
from hits.datasets.columns import TEXT
from hits.datasets.correlations import Correlation, chance_of, correlate
from hits.datasets.stat_table import SHARE, UNKNOWN, WORDS, ShownCell, StatTable, head, percent
from hits.datasets.vega_charts import Chart, Estimate, draw_estimates

PEOPLE = "People"
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


def scores_table(found: ProjectScores) -> StatTable:
    """Chance first, then people over all examples."""
    people = summarize(rights_of(found, found.lines))
    chances = [percent(share, 2) for share in CHANCE.values()]
    return StatTable(
        name="scores",
        title="People beside chance",
        columns=SCORES,
        rows=[
            ("Chance", None, None, *chances),
            (PEOPLE, people.of, len(found.lines) - people.of, *_shares(people)),
        ],
        note="Bold, with ▲: above chance. Below each share its 95 % interval: the examples are dealt by "
        "number, in turn, into four groups, and the interval is the mean of the groups by Student's t with "
        "three degrees of freedom, never below 0 or above 100. The files have all scores, also by tag.",
        charts=[chart for kind in Kind for chart in _chart(kind, people)],
    )


def related_table(found: ProjectScores) -> StatTable:
    said = [words for kind in Kind for words in _said(correlation(found, kind))]
    return StatTable(
        name="correlations",
        title="Correlation with the length of captions",
        columns=RELATED,
        rows=[(PEOPLE, len(rights_of(found, found.lines)), *said)],
        about="Pearson's r between the number of words of an example's captions and being right, 1 or 0; and "
        "p by Student's t, both sides.",
        note="“–”: nothing can be said, because there are fewer than three examples, or all are alike.",
    )


def part_rows(found: ProjectScores, *, sort: str = "") -> list[PartRow]:
    """Rows of parts with at least one scored example."""
    rows = [_part_row(part, found) for part in parts_of(found.lines)]
    known = [row for row in rows if row.of]
    name = sort.removeprefix("-")
    if name not in SORTS:
        return known
    return sorted(known, key=lambda row: _place(row, name), reverse=sort.startswith("-"))


def correlation(found: ProjectScores, kind: Kind) -> Correlation | None:
    """The correlation between the number of words in both captions and being right."""
    known = (line for line in found.lines if line.pk in found.rights)
    return correlate((line.words, int(found.rights[line.pk].by(kind))) for line in known)


def rights_of(found: ProjectScores, lines: Iterable[Line]) -> list[Right]:
    return [found.rights[line.pk] for line in lines if line.pk in found.rights]


def _part_row(part: Part, found: ProjectScores) -> PartRow:
    summary = summarize(rights_of(found, part.lines))
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


def _chart(kind: Kind, people: Summary) -> Iterator[Chart]:
    """A chart of one score, or none where there is nothing to draw."""
    share = people.by(kind)
    if share.value is None:
        return
    row = Estimate(
        label=PEOPLE,
        share=float(share.value),
        interval=(share.interval.low, share.interval.high) if share.interval else None,
        words=percent(share.value),
    )
    yield draw_estimates(
        [row], name=kind, caption=kind.capitalize(), limit=float(CHANCE[kind]), limit_name="chance"
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
