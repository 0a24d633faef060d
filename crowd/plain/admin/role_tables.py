"""Mean ratings by role, as papers print the feedback of their workers: a table for each block of the page."""

from collections.abc import Iterator, Sequence
from functools import partial
from statistics import fmean

from crowd.plain.domain.pages import Kind, Page, Part
from crowd.plain.queries.results import FIGURES, AnsweredRow
from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.stat_table import StatColumn, StatTable, head

TITLE = "Ratings"
NOTE = "Means of the answers that count. A question that people of a role were not asked has “–”."


def role_tables(page: Page, found: Sequence[AnsweredRow]) -> list[StatTable]:
    """Tables of means with a row for each role; none for a page that does not ask by roles."""
    if not page.role_column:
        return []
    blocks = [(title, parts) for title, parts in _blocks(page) if parts]
    return [
        StatTable(
            name=f"means_{number}",
            title=title,
            columns=_columns(parts),
            rows=[answered for answered in found if answered.answers],
            empty="Nobody has answered yet.",
            note=NOTE,
        )
        for number, (title, parts) in enumerate(blocks, start=1)
    ]


def _blocks(page: Page) -> Iterator[tuple[str, list[Part]]]:
    """Questions with figures, below the text that stands above them."""
    title, parts = TITLE, list[Part]()
    for part in page.parts:
        if part.kind == Kind.SAY:
            yield title, parts
            title, parts = part.name, []
        elif part.kind in FIGURES:
            parts.append(part)
    yield title, parts


def _columns(parts: Sequence[Part]) -> list[StatColumn]:
    return [
        head("Role", TEXT, of=lambda answered: answered.row.role),
        head("Answers", of=lambda answered: len(answered.answers)),
        *(head(part.ask, NUMBER, name=part.name, of=partial(_mean, part), digits=1) for part in parts),
    ]


def _mean(part: Part, answered: AnsweredRow) -> float | None:
    given = [float(one[part.name]) for one in answered.answers if part.name in one]  # type: ignore[arg-type]
    return fmean(given) if given else None
