"""Results, read from the raw answers that count, so that nothing has to be counted again."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean
from typing import Any

from crowd.plain.domain.agreement import (
    Level,
    Majority,
    alpha_of,
    equal_pairs,
    majority_of,
    ticked_by_most,
)
from crowd.plain.domain.answers import Value, values_of
from crowd.plain.domain.pages import Kind, Page, Part
from crowd.plain.models import Description, Row
from hits.core.chunks import in_chunks
from hits.work.services.counting_answers import CountingAnswer, answers_that_count

AT_ONCE = 500
LEVELS: Mapping[Kind, Level] = {
    Kind.CHOICE: Level.NOMINAL,
    Kind.CHOICES: Level.NOMINAL,
    Kind.SCALE: Level.ORDINAL,
    Kind.NUMBER: Level.INTERVAL,
}
FIGURES = (Kind.SCALE, Kind.NUMBER)
Answers = Sequence[Mapping[str, Value]]


@dataclass(frozen=True, kw_only=True)
class AnsweredRow:
    """A row that is or was asked, with the answers that count, the first one first."""

    row: Row
    given: Sequence[CountingAnswer]
    answers: Answers


@dataclass(frozen=True, kw_only=True)
class QuestionResult:
    """The result of one question about one row. `leaders`: several where they are tied."""

    answers: int
    leaders: tuple[str, ...] = ()
    is_tied: bool = False
    # Share of the answers that say what the leaders say; several choices have none.
    share: Fraction | None = None
    mean: float | None = None


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """How far people agree on one question, over all rows; None where that is not defined."""

    part: Part
    answers: int
    # Rows with at least two answers to it, and those of them whose majority is tied.
    compared: int
    tied: int
    equal: Fraction | None = None
    alpha: Fraction | None = None
    level: Level | None = None
    mean: float | None = None


def answered_rows(description: Description) -> Iterator[AnsweredRow]:
    """Rows that were asked, by number and with their answers; read in chunks, so that memory stays flat."""
    asked = description.rows.filter(item__isnull=False).select_related("item")
    for some in in_chunks(asked, size=AT_ONCE, by="number"):
        yield from with_answers(description.page, some)


def with_answers(page: Page, rows: Sequence[Row]) -> Iterator[AnsweredRow]:
    """Yield these rows of the page with their answers, which are read at once."""
    found = answers_that_count([row.item_id for row in rows if row.item_id])
    for row in rows:
        given = found.get(row.item_id or 0, [])
        answers = [values_of(page, one.raw, role=row.role) for one in given]
        yield AnsweredRow(row=row, given=given, answers=answers)


def said_of(part: Part, answers: Answers) -> QuestionResult:
    given = [answer[part.name] for answer in answers if part.name in answer]
    if part.kind == Kind.TEXT or not given:
        return QuestionResult(answers=len(given))
    if part.kind == Kind.CHOICES:
        ticked = [one for one in given if isinstance(one, tuple)]
        most, half = ticked_by_most(ticked, options=[option.code for option in part.options])
        return QuestionResult(answers=len(given), leaders=most, is_tied=bool(half))
    found = majority_of(given, order=_order(part, given))
    return QuestionResult(answers=len(given), **_majority(found), mean=_mean(part, given))


def agreement_of(part: Part, rows: Sequence[Answers]) -> Agreement:
    said = [said_of(part, answers) for answers in rows]
    compared = [one for one in said if one.answers > 1]
    given = [answer[part.name] for answers in rows for answer in answers if part.name in answer]
    counts: dict[str, Any] = {
        "part": part,
        "answers": len(given),
        "compared": len(compared),
        "tied": sum(one.is_tied for one in compared),
    }
    if part.kind not in LEVELS:
        return Agreement(**counts)
    units = list(_units(part, rows))
    level = LEVELS[part.kind]
    return Agreement(
        **counts,
        level=level,
        equal=equal_pairs(units),
        alpha=alpha_of(units, level=level),
        mean=_mean(part, given),
    )


def _units(part: Part, rows: Sequence[Answers]) -> Iterator[Sequence[Hashable]]:
    """Answers to compare, by row; of several choices each option by itself, ticked or not."""
    for answers in rows:
        given = [answer[part.name] for answer in answers if part.name in answer]
        if part.kind != Kind.CHOICES:
            yield given
            continue
        for option in part.options:
            yield [option.code in one for one in given if isinstance(one, tuple)]


def _order(part: Part, given: Sequence[Value]) -> Sequence[Hashable]:
    if part.kind in FIGURES:
        return sorted({one for one in given if not isinstance(one, str | tuple)})
    return [option.code for option in part.options]


def _majority(found: Majority | None) -> dict[str, Any]:
    if found is None:
        return {}
    return {
        "leaders": tuple(str(leader) for leader in found.leaders),
        "is_tied": found.is_tie,
        "share": found.share,
    }


def _mean(part: Part, given: Sequence[Value]) -> float | None:
    figures = [Fraction(one) for one in given if not isinstance(one, str | tuple)]
    return float(mean(figures)) if part.kind in FIGURES and figures else None
