"""The tables of a funnel: how far workers come, what became of tests, and why workers were refused."""

from collections.abc import Sequence
from datetime import datetime

from django.urls import reverse

from hits.admin.page_parts import in_words
from hits.core.domain.counted_nouns import plural
from hits.datasets.bars import draw_bars
from hits.datasets.columns import TEXT
from hits.datasets.stat_table import UNKNOWN, WORDS, ShownCell, StatTable, head
from qualifications.admin.refusal_words import refusal_in_words
from qualifications.queries.funnel import Funnel, GateRow, Step

STEPS = (head("Step", TEXT), head("Gate", TEXT), head("People"), head("Share", WORDS), head("Of whom", TEXT))
TESTS = (
    head("Gate", TEXT),
    head("Tested"),
    head("Hold it"),
    head("Did not pass"),
    head("Wait for a grade"),
    head("The oldest waits", TEXT),
    head("Gave up"),
)
MISSED = (head("Gate", TEXT), head("Not reached", TEXT), head("Tests"))
REFUSED = (head("Reason", TEXT), head("Code", TEXT), head("Times"))
REFUSED_BEFORE = (
    "Whom the marketplace refuses before accepting, for a country or too few approvals, is not counted here: "
    "its own page of the HIT tells the worker why, and its operator's desk shows what is known of the worker."
)
ABOUT_STEPS = (
    "Were written to: by messages of this study, in the same time; not all of them came, and most came by "
    "themselves. Where a share is missing, some got there another way: a gate may be given by hand, and "
    "work may have begun before it."
)


def _steps_table(funnel: Funnel) -> StatTable:
    longer = " Perhaps choose a longer time above." if funnel.since else ""
    bars = draw_bars(
        ((step.name.partition(":")[0], step.count, _reached(step)) for step in funnel.steps),
        below=[step.gate for step in funnel.steps],
    )
    return StatTable(
        name="steps",
        title="How far people come",
        columns=STEPS,
        rows=[_step(step) for step in funnel.steps] if bars else (),
        empty=f"No workers yet. A worker who accepts a HIT of this study is counted here.{longer}",
        note=ABOUT_STEPS,
        bars=bars,
        files=(),
    )


def funnel_tables(funnel: Funnel, *, now: datetime) -> Sequence[StatTable]:
    """All tables of the funnel; those about tests only where there are any."""
    tests = StatTable(
        name="tests",
        title="What became of the tests",
        columns=TESTS,
        rows=[_gate(row, now=now) for row in funnel.gates],
        files=(),
    )
    missed = StatTable(
        name="missed",
        title="Bounds that were missed",
        columns=MISSED,
        rows=funnel.missed,
        about=f"Of the newest {plural(funnel.missed_of, 'failed test')}; one test may miss several.",
        files=(),
    )
    refused = StatTable(
        name="refused",
        title="Why workers were refused",
        columns=REFUSED,
        rows=[(refusal_in_words(code), code, count) for code, count in funnel.refusals],
        about="How often, not how many people: nobody's name is kept with the count. Why one worker may not "
        "work now, and what they were told last, is on the worker's page, under “Tests and consent”.",
        empty=f"Nobody was refused by these pages in this time. {REFUSED_BEFORE}",
        files=(),
    )
    return [
        _steps_table(funnel),
        *([tests] if funnel.gates else ()),
        *([missed] if funnel.missed else ()),
        refused,
    ]


def _reached(step: Step) -> str:
    return str(step.count) if step.share is None else f"{step.count}, {step.share} %"


def _step(step: Step) -> Sequence[object]:
    share = None if step.share is None else f"{step.share} %"
    return step.name, step.gate or UNKNOWN, step.count, share, step.of_name or UNKNOWN


def _gate(row: GateRow, *, now: datetime) -> Sequence[object]:
    url = reverse("admin:qualifications_gate_change", args=[row.gate.pk])
    waits = max(0, int((now - row.waits_since).total_seconds())) if row.waits_since else None
    return (
        ShownCell(words=row.gate.name, url=url),
        row.tested,
        row.passed,
        row.failed,
        row.waiting,
        UNKNOWN if waits is None else in_words(waits),
        row.given_up,
    )
