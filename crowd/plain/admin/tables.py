"""Tables of results: how far people agree on each question, and how often each answer was given."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from crowd.plain.asking.shown_parts import names_of
from crowd.plain.domain.agreement import Level
from crowd.plain.domain.pages import Page, Part
from crowd.plain.domain.texts import fill
from crowd.plain.queries.results import Answers, agreement_of
from hits.datasets.columns import INTEGER, NUMBER, TEXT
from hits.datasets.stat_table import SHARE, StatTable, head

LEVELS = {Level.NOMINAL: "as names", Level.ORDINAL: "by rank", Level.INTERVAL: "by difference"}
ABOUT = (
    "Rows compared: those with two answers at least. Equal pairs: of all pairs of answers to one row, how "
    "many are the same. Alpha: Krippendorff's, 1 where all agree and 0 where they agree as chance would have "
    "it; “–” where it is not defined, for instance because all answers are the same. Of several choices each "
    "option is compared by itself."
)
AGREEMENT = (
    head("Question", TEXT, of=lambda one: words_of(one.part)),
    head("", TEXT, name="name", of=lambda one: one.part.name),
    head("Answers", of=lambda one: one.answers),
    head("Rows compared", of=lambda one: one.compared),
    head("Tied", of=lambda one: one.tied if one.level else None),
    head("Equal pairs", SHARE, of=lambda one: one.equal),
    head("Alpha", NUMBER, of=lambda one: one.alpha, digits=3),
    head("Compared", TEXT, of=lambda one: LEVELS.get(one.level)),
    head("Mean", NUMBER, of=lambda one: one.mean, digits=2),
)
COUNTS = (
    head("Question", TEXT),
    head("Answer", TEXT),
    head("How often", INTEGER),
    head("Of its answers", SHARE),
)


def tables_of(page: Page, rows: Sequence[Answers]) -> list[StatTable]:
    return [
        StatTable(
            name="agreement",
            title="Agreement",
            about=ABOUT,
            columns=AGREEMENT,
            rows=[agreement_of(part, rows) for part in page.questions],
        ),
        StatTable(
            name="counts",
            title="How often each answer was given",
            columns=COUNTS,
            rows=list(_counts(page, rows)),
            empty="The page has no question with options.",
        ),
    ]


def words_of(part: Part) -> str:
    """The question, with its columns by their names."""
    return fill(part.ask, names_of(part))


def _counts(page: Page, rows: Sequence[Answers]) -> Iterator[tuple[Any, ...]]:
    for part in page.questions:
        given = [answer[part.name] for answers in rows for answer in answers if part.name in answer]
        counts = Counter(
            str(one) for value in given for one in (value if isinstance(value, tuple) else [value])
        )
        for option in part.options:
            share = counts[option.code] / len(given) if given else None
            yield part.name, option.code, counts[option.code], share
