"""Pages that show what today's scores add to a batch's work, ask for a reason, and owe it."""

from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.template.defaultfilters import pluralize
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.actions.reason_form import words_form
from hits.admin.page_parts import batch_trail, read_number
from hits.admin.payments.wages import find_batch
from hits.admin.sums import NO_MONEY_YET, Sum, read_seen, sum_up
from hits.common.currencies import in_money
from hits.ledger.models.bonuses import Bonus
from hits.payments.services import accrual, recalculation
from hits.studies.models import Batch

# The page names this many of those that lack something.
SHOWN = 50
WHOLE, ONE = "Batch {} of {} on {}.", "One submission of batch {} of {} on {}."
COMPARED = (
    "Approved work is compared with the bonus table, on the scores that are recorded today. Where they come "
    "to less, nothing changes."
)


@dataclass(kw_only=True)
class UnscoredWork:
    """A batch's work after a number; with `work`, one submission of it by its number."""

    batch: Batch
    work: int | None
    after: int

    @cached_property
    def look(self) -> recalculation.Look:
        return recalculation.look_at(batch=self.batch, work=self.work, after=self.after, now=timezone.now())

    @property
    def sum(self) -> Sum:
        return sum_up(self.batch, (bonus.amount for bonus in self.look.bonuses))


def urls(batches: admin.ModelAdmin[Batch]) -> list[URLPattern]:
    """The address below the batch's own; `?work=` is one submission, `?after=` those that follow it."""
    view = batches.admin_site.admin_view(_pages(batches).view("owe"))
    return [path("<int:batch_id>/owe-again/", view, name="hits_owe_again")]


def _pages(batches: admin.ModelAdmin[Batch]) -> ActionPages[UnscoredWork]:
    def find(request: HttpRequest, batch_id: int) -> list[UnscoredWork]:
        work, after = (read_number(request.GET.get(name, "")) for name in ("work", "after"))
        batch = find_batch(batches, request, batch_id)
        return [UnscoredWork(batch=batch, work=work, after=after or 0)]

    return ActionPages(
        actions={"owe": OWE},
        find=find,
        back=lambda found: reverse("admin:hits_batch_live", args=[found[0].batch.pk]),
        shared=lambda found: {"trail": batch_trail(found[0].batch)},
    )


def _ask(call: Call[UnscoredWork]) -> Confirm:
    batch, look = call.row.batch, call.row.look
    asked = Confirm(
        title="What today’s scores add",
        text=emphasize(
            f"{WHOLE if call.row.work is None else ONE} {COMPARED}", batch.title, batch.study, batch.account
        ),
        detail="admin/hits/lacking.html",
        details={
            "batch": batch,
            "rows": [_row(bonus) for bonus in look.bonuses[:SHOWN]],
            "look": look,
            "is_part": bool(call.row.after or look.last),
        },
        is_blocked=True,
    )
    return _with_cost(asked, call.row.sum) if look.bonuses else asked


def _with_cost(asked: Confirm, cost: Sum) -> Confirm:
    fees = cost.fees_in_words
    return replace(
        asked,
        consequences=[
            emphasize("That is {} for the workers{fees}.", in_money(cost.total, cost.currency), fees=fees),
            NO_MONEY_YET,
        ],
        cost=cost.cost,
        problem=cost.problem(done="owed"),
        is_blocked=cost.is_over_budget,
        button=f"Owe {cost.count} bonus{pluralize(cost.count, 'es')}",
        hidden=cost.seen,
    )


def _row(bonus: Bonus) -> dict[str, Any]:
    before = Decimal(bonus.figures.get("owed_before", 0))
    return {"bonus": bonus, "before": before, "today": before + bonus.amount}


def _owe(call: Call[UnscoredWork]) -> Outcome:
    made = recalculation.owe_lacking(
        batch=call.row.batch,
        seen=read_seen(call.sent),
        why=call.values["why"],
        by=call.by,
        now=call.now,
        work=call.row.work,
        after=call.row.after,
    )
    noun = "bonus is" if len(made) == 1 else "bonuses are"
    total = recalculation.total_of(made)
    told = in_money(total, call.row.batch.currency)
    return Outcome(said=f"{len(made)} {noun} owed now, {told} in all. Put them into the next run.")


OWE = Action(
    label="Owe",
    permissions=[recalculation.OWE],
    form=words_form("why", "Why, for the record", longest=accrual.LONGEST_WHY),
    confirm=_ask,
    run=_owe,
    undone="Nothing was owed.",
    shown_anew=True,
)
