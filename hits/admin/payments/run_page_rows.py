"""Actions on the ticked rows of a run: take out, hold, or split off into a run of their own."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import pluralize
from django.urls import reverse

from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.actions.reason_form import words_form
from hits.admin.page_parts import read_number
from hits.admin.payments.run_steps import BASE, OPEN, PREPARE, VIEW, find_run, moved_on, sum_in_words
from hits.common.currencies import in_money
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run
from hits.payments.services import run_rows

HOLD = "hits.hold_bonus"
MOST = 5000
# So many bonuses are named on a page that asks about them.
NAMED = 10
WHY_HELD = words_form("text", "Why?", longest=500, help_text="Others read it in the list of bonuses.")
TITLE = words_form("text", "Title of the new run", longest=128)
HELD = (
    "What is held is owed still, and goes into no run until it is released, in the list of bonuses or on its "
    "own page."
)


@dataclass(frozen=True, kw_only=True)
class TickedRows:
    """Some rows of one run, and none of another."""

    run: Run
    bonuses: Sequence[Bonus]

    @property
    def count(self) -> str:
        return f"{len(self.bonuses)} bonus{pluralize(len(self.bonuses), 'es')}"


def rows_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Act on the ticked rows; holding and splitting ask for words first."""
    return PAGES.answer(request, request.POST.get("verb", ""), pk=pk)


def _find(request: HttpRequest, pk: int) -> list[TickedRows]:
    """The ticked rows of the run, or those that the page before has carried."""
    run, carried = find_run(request, pk), request.POST.get("bonuses", "").split(",")
    keys = [read_number(text) for text in [*request.POST.getlist("bonus"), *carried][:MOST]]
    wanted = [key for key in keys if key is not None]
    rows = Bonus.objects.filter(rows__run=run, rows__is_live=True, pk__in=wanted)
    named = rows.select_related("assignment__worker").defer("assignment__answer")
    return [TickedRows(run=run, bonuses=list(named.order_by("pk")))]


def _address(run: Run) -> str:
    return reverse("admin:hits_run_change", args=[run.pk])


def _refuses(call: Call[TickedRows], *, states: Collection[str] = OPEN) -> str:
    if words := moved_on(call.row.run, call, states):
        return words
    return "" if call.row.bonuses else "Tick the rows first."


def name_bonuses(bonuses: Sequence[Bonus]) -> str:
    """The first bonuses by worker, rule and amount, for a page that asks about them."""
    named = [f"{in_words(bonus)}, {bonus.in_words}" for bonus in bonuses[:NAMED]]
    more = [f"and {len(bonuses) - NAMED} more"] if len(bonuses) > NAMED else []
    return "; ".join([*named, *more])


def in_words(bonus: Bonus) -> str:
    return f"“{bonus.rule}” of {bonus.assignment.worker}"


def _confirm(call: Call[TickedRows], *, verb: str, label: str, consequences: Sequence[str]) -> Confirm:
    bonuses, button = call.row.bonuses, f"{label} {call.row.count}"
    currency = call.row.run.currency
    return Confirm(
        title=f"{button}?",
        text=f"{in_money(sum(bonus.amount for bonus in bonuses), currency)}: {name_bonuses(bonuses)}",
        consequences=consequences,
        button=button,
        hidden=[("verb", verb), ("bonuses", ",".join(str(bonus.pk) for bonus in bonuses))],
    )


def _ask_to_hold(call: Call[TickedRows]) -> Confirm:
    leaves = "It leaves this draft."
    if call.row.run.status == Run.Status.FROZEN:
        voids = "This run is frozen: holding one of its rows voids it"
        leaves = emphasize("{}, and it has to be prepared again.", voids)
    return _confirm(call, verb="hold", label="Hold", consequences=[HELD, leaves])


def _ask_to_split(call: Call[TickedRows]) -> Confirm:
    words: list[str] = ["The chosen bonuses become a draft of their own."]
    if call.row.run.status == Run.Status.FROZEN:
        words.append(emphasize("{}, and both have to be frozen.", "This run is a draft again then"))
    return _confirm(call, verb="split", label="Split off", consequences=words)


def _hold(call: Call[TickedRows]) -> Outcome:
    ticked, reason = call.row, call.values["text"]
    run_rows.hold_bonuses(bonuses=ticked.bonuses, reason=reason, by=call.by, now=call.now)
    return Outcome(said=f"Held: {ticked.count}. They are owed still, and in no run until they are released.")


def _split(call: Call[TickedRows]) -> Outcome:
    ticked, title = call.row, call.values["text"]
    new = run_rows.split_run(run=ticked.run, bonuses=ticked.bonuses, title=title, by=call.by, now=call.now)
    said = f"Split off: {sum_in_words(new)}. Both runs are drafts now."
    return Outcome(said=said, to=_address(new))


def _take_out(call: Call[TickedRows]) -> Outcome:
    ticked = call.row
    run_rows.take_out(run=ticked.run, bonuses=ticked.bonuses, by=call.by, now=call.now)
    return Outcome(said=f"Taken out: {ticked.count}.")


ACTIONS: Mapping[str, Action[TickedRows]] = {
    "take_out": Action(
        label="Take out",
        permissions=(VIEW, PREPARE),
        refuses=partial(_refuses, states=[Run.Status.DRAFT]),
        one_click=True,
        run=_take_out,
    ),
    "hold": Action(
        label="Hold",
        permissions=(VIEW, HOLD),
        refuses=_refuses,
        form=WHY_HELD,
        needs_confirmed=True,
        confirm=_ask_to_hold,
        run=_hold,
    ),
    "split": Action(
        label="Split off",
        permissions=(VIEW, PREPARE),
        refuses=_refuses,
        form=TITLE,
        needs_confirmed=True,
        confirm=_ask_to_split,
        run=_split,
    ),
}
PAGES = ActionPages(
    actions=ACTIONS,
    find=_find,
    back=lambda found: _address(found[0].run),
    base=BASE,
    shared=lambda found: {"run": found[0].run},
)
