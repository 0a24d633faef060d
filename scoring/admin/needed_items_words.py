"""What a number of needed items rests on, in sentences."""

from collections.abc import Iterator

from hits.core.domain.counted_nouns import plural
from hits.datasets.stat_table import percent
from scoring.admin.needed_items_form import expected_of
from scoring.admin.needed_items_tables import NeededItems
from scoring.admin.planned_costs import AskedItems
from scoring.queries.planned_figures import Kind, Pilot, PlannedFigure

INTERVALS = {
    Kind.SHARE: "The interval is Wilson's. Away from 50 % it leans toward 50 %: half of its width is what is "
    "called plus or minus here.",
    Kind.MEAN: "The interval is the mean and its standard errors, to either side.",
    Kind.ALPHA: "Alpha's interval is that over items, by bootstrap. It narrows with the square root of the "
    "items, if each has as many answers as now.",
}
WORST = {
    Kind.SHARE: "The form begins with a share of 50 %, whose interval is the widest: whatever the share will "
    "be, so many items are enough.",
    Kind.MEAN: "The form begins with a spread of 50 points, the largest there is: half of the items at 0 and "
    "half at 100. Enter a smaller one if you know it from elsewhere.",
    Kind.ALPHA: "",
}
UNKNOWN = "Nothing is known of this figure in this study yet."
HIDDEN = "What the study's answers say so far is shown to those who may see its work."
SAFE = "With a chance of four in five that is on the safe side: a pilot of few items may have been lucky."
OTHERS = (
    "The interval says what other items like these would give, with people like these. Other people may "
    "answer otherwise, which more items do not change."
)


def rests_on(figure: PlannedFigure, pilot: Pilot | None, *, question: str, is_hidden: bool) -> Iterator[str]:
    if pilot:
        yield _pilot_in_words(figure.kind, pilot, question=question)
    else:
        yield f"{HIDDEN if is_hidden else UNKNOWN} {WORST[figure.kind]}"
    yield INTERVALS[figure.kind]
    yield f"Items are taken to be independent of each other. {figure.alike}".strip() + (
        " Such items count for less than as many different ones: more are needed." if figure.alike else
        " Items that share a text, a picture or an author count for less: more of them are needed."
    )  # fmt: skip
    yield OTHERS


def draft_in_words(needed: NeededItems) -> Iterator[str]:
    """Say how the draft's items and answers were counted, if there is a draft."""
    asked = needed.asked
    if asked is None:
        return
    yield _each_in_words(asked)
    plan, due = asked.as_it_stands.plan, asked.with_items(asked.items).plan
    if plan and due and plan.hits != due.hits:
        yield (
            f"The draft's number of HITs is {plan.hits}, and the answers that it needs take {due.hits}: "
            "its cost as it stands is that of the number that is saved."
        )
    if needed.items is not None and needed.wanted and not needed.wanted.plan and needed.wanted.answers:
        yield "One batch cannot ask that many answers: it would take several."


def _each_in_words(asked: AskedItems) -> str:
    times = plural(asked.each, "answer")
    if asked.is_each_known:
        return f"A further item is taken to need {times}, as those of this task do."
    words = f"There is no item of this task yet. Each is taken to need {times}"
    return f"{words}, one of each worker of a HIT: see what your project asks for."


def _pilot_in_words(kind: Kind, pilot: Pilot, *, question: str) -> str:
    of = f"{plural(pilot.items, 'item')}{f' of “{question}”' if question else ''}"
    start = expected_of(kind, pilot)
    if kind == Kind.SHARE:
        return (
            f"So far it is {percent(pilot.value)} of {of}; the form begins with {start['share']:g} %. {SAFE}"
        )
    if kind == Kind.MEAN:
        return (
            f"So far the mean of {of} is {100 * pilot.value:.1f}, with a spread of "
            f"{100 * pilot.spread:.1f} points; the form begins with {start['spread']:g}. {SAFE}"
        )
    low, high = pilot.interval or (0.0, 0.0)
    return (
        f"So far alpha is {pilot.value:.3f} of {of} with two answers or more; its interval of 95 % goes "
        f"from {low:.2f} to {high:.2f}."
    )
