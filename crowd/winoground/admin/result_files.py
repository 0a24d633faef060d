"""The results with every number, as the files have them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from crowd.winoground.admin.figures import correlation, rights_of
from crowd.winoground.domain.scores import Kind
from crowd.winoground.domain.statistics import Share
from crowd.winoground.domain.summaries import summarize
from crowd.winoground.queries.parts import Part, parts_of
from crowd.winoground.queries.scoring import Scored
from hits.common.spreadsheets import Cell

Rows = Iterator[Sequence[Cell]]


class File(NamedTuple):
    header: Sequence[str]
    rows: Callable[[Scored], Rows]


SCORE_HEADER = (
    "scores of",
    "tag of",
    "tag",
    "examples",
    "open",
    *(f"{kind}{ending}" for kind in Kind for ending in (" right", " %", " % low", " % high")),
)


def score_cells(found: Scored) -> Rows:
    """Everybody over all examples, and over each part: the file of the whole table."""
    for scorer in found.scorers:
        everything = Part(key="all", about="All", name="All", lines=found.lines)
        for part in (everything, *parts_of(found.lines)):
            summary = summarize(rights_of(scorer, part.lines))
            shares = [cell for kind in Kind for cell in _numbers(summary.by(kind))]
            yield (scorer.name, part.about, part.name, summary.of, len(part.lines) - summary.of, *shares)


def related_cells(found: Scored) -> Rows:
    for scorer in found.scorers:
        for kind in Kind:
            one = correlation(scorer, found.lines, kind)
            numbers: Sequence[Cell] = _exact(one.r, one.p) if one else (None, None)
            yield (scorer.name, str(kind), len(rights_of(scorer, found.lines)), *numbers)


def _exact(*values: float) -> Sequence[Cell]:
    return [Decimal(f"{value:.6g}") for value in values]


def _numbers(share: Share) -> Sequence[Cell]:
    known = [] if share.value is None else [float(share.value)]
    known += [share.interval.low, share.interval.high] if share.interval else []
    cells = [*_exact(*(100 * value for value in known)), None, None, None]
    return (share.right, *cells[:3])


FILES: Mapping[str, File] = {
    "scores": File(SCORE_HEADER, score_cells),
    "correlations": File(("scores of", "score", "examples", "r", "p"), related_cells),
}
