"""The results with every number, as in the files."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from crowd.winoground.admin.figures import PEOPLE, correlation, rights_of
from crowd.winoground.domain.caption_scores import Kind
from crowd.winoground.domain.statistics import Share
from crowd.winoground.domain.summaries import summarize
from crowd.winoground.queries.parts import Part, parts_of
from crowd.winoground.queries.scoring import ProjectScores
from hits.common.spreadsheets import Cell
from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.correlations import chance_of
from hits.datasets.stat_table import StatTable, head

Rows = Iterator[Sequence[Cell]]


SCORES = (
    head("", TEXT, name="scores of"),
    head("", TEXT, name="tag of"),
    head("", TEXT, name="tag"),
    head("", name="examples"),
    head("", name="open"),
    *(
        head("", NUMBER, name=f"{kind}{ending}")
        for kind in Kind
        for ending in (" right", " %", " % low", " % high")
    ),
)
RELATED = (
    head("", TEXT, name="scores of"),
    head("", TEXT, name="score"),
    head("", name="examples"),
    head("", NUMBER, name="r"),
    head("", NUMBER, name="p"),
)


def files_of(found: ProjectScores) -> list[StatTable]:
    """The files' tables. Unlike the page, they have scores by every tag, and a line for each score."""
    return [
        StatTable(
            name="scores",
            title="All scores, overall and by tag",
            columns=SCORES,
            rows=score_cells(found),
            exact=True,
        ),
        StatTable(
            name="correlations", title="Correlations", columns=RELATED, rows=related_cells(found), exact=True
        ),
    ]


def score_cells(found: ProjectScores) -> Rows:
    """Rows over all examples and over each part."""
    everything = Part(key="all", about="All", name="All", lines=found.lines)
    for part in (everything, *parts_of(found.lines)):
        summary = summarize(rights_of(found, part.lines))
        shares = [cell for kind in Kind for cell in _numbers(summary.by(kind))]
        yield (PEOPLE, part.about, part.name, summary.of, len(part.lines) - summary.of, *shares)


def related_cells(found: ProjectScores) -> Rows:
    for kind in Kind:
        one = correlation(found, kind)
        numbers: Sequence[Cell] = _exact(one.r, chance_of(one)) if one else (None, None)
        yield (PEOPLE, str(kind), len(rights_of(found, found.lines)), *numbers)


def _exact(*values: float) -> Sequence[Cell]:
    return [Decimal(f"{value:.6g}") for value in values]


def _numbers(share: Share) -> Sequence[Cell]:
    known = [] if share.value is None else [float(share.value)]
    known += [share.interval.low, share.interval.high] if share.interval else []
    cells = [*_exact(*(100 * value for value in known)), None, None, None]
    return (share.right, *cells[:3])
