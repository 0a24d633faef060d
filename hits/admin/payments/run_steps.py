"""The steps of a run: its preparer freezes, unfreezes or dissolves it; a second person refuses it."""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_POST
from django_stubs_ext import WithAnnotations

from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from hits.admin.actions.reason_form import words_form
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run
from hits.payments.queries.run_list import Payment, totals_of, visible_runs
from hits.payments.queries.run_table import Row, rows_of
from hits.payments.services import bonus_runs
from hits.payments.services.kill_switch import is_halted
from hits.payments.services.run_parts import not_now

VIEW, PREPARE, APPROVE = "hits.view_run", "hits.prepare_run", "hits.approve_run"
BASE = "admin/hits/run/base.html"
ALL_PAID = "Approved, and paid"
Kind = Run.Kind
Status = Run.Status
OPEN = (Status.DRAFT, Status.FROZEN)


def find_run(request: HttpRequest, pk: int, permission: str = VIEW) -> Run:
    """The run; 404 if this user may not see all of it."""
    if not request.user.has_perms([VIEW, permission]):
        raise PermissionDenied
    return get_object_or_404(visible_runs(request.user), pk=pk)


def state_of(run: Run) -> str:
    """The run's state in words. Giving bonuses up is no payment, and its pages never say so."""
    if run.kind == Kind.WAIVE and run.status == Status.APPROVED:
        return "Approved: given up"
    words = run.get_status_display()
    return words[:1].upper() + words[1:]


def state_with_payment(run: "WithAnnotations[Run, Payment]") -> str:
    """The run's state in words, and whether all of it is paid."""
    return ALL_PAID if run.status == Status.APPROVED and run.is_all_paid else state_of(run)


def is_stopped(rows: Iterable[Row]) -> bool:
    """Whether something approved waits because the payments of its account are stopped."""
    waiting = {row.account_id for row in rows if row.is_live and row.status == Bonus.Status.APPROVED}
    return any(is_halted(account) for account in waiting)


def sum_in_words(run: Run) -> str:
    """The sum as the approver confirms it: "12 bonuses, $3.24"."""
    return f"{run.count} {'bonus' if run.count == 1 else 'bonuses'}, {run.total_in_words}"


def _ask(call: Call[Run], *, label: str, meaning: str, by_study: bool) -> Confirm:
    button = f"{label}: {sum_in_words(call.row)}"
    return Confirm(
        title=f"{button}?",
        text=meaning,
        detail="admin/hits/run/step.html",
        details={"totals": totals_of(rows_of(call.row)), "by_study": by_study},
        button=button,
    )


def moved_on(run: Run, call: Call[Any], states: Collection[str]) -> str:
    """Say that the run has moved on, before anything is asked. What was asked, the service refuses itself."""
    return "" if run.status in states or "confirmed" in call.sent else str(not_now(run))


def _refuses(call: Call[Run], *, states: Collection[str]) -> str:
    return moved_on(call.row, call, states)


def _do(call: Call[Run], *, act: Callable[..., Any], done: str) -> Outcome:
    act(run=call.row, **call.values, by=call.by, now=call.now)
    return Outcome(said=done)


def _step(
    label: str,
    *,
    since: Collection[str],
    meaning: str,
    act: Callable[..., Any],
    done: str,
    by_study: bool = False,
) -> Action[Run]:
    return Action(
        label=label,
        permissions=(VIEW, PREPARE),
        refuses=partial(_refuses, states=since),
        confirm=partial(_ask, label=label, meaning=meaning, by_study=by_study),
        run=partial(_do, act=act, done=done),
    )


STEPS: Mapping[str, Action[Run]] = {
    "freeze": _step(
        "Freeze",
        since=[Status.DRAFT],
        meaning="Then nothing of it can be changed without voiding it, and another person decides on it.",
        done="Frozen. Another person has to decide on it now.",
        act=bonus_runs.freeze_run,
        by_study=True,
    ),
    "unfreeze": _step(
        "Make it a draft again",
        since=[Status.FROZEN],
        meaning="Nobody can approve it until it is frozen again.",
        done="It is a draft again.",
        act=bonus_runs.unfreeze_run,
    ),
    "dissolve": _step(
        "Dissolve",
        since=OPEN,
        meaning="Nothing of it is paid. Its bonuses are owed still, and can go into other runs.",
        done="Dissolved. Its bonuses are owed still.",
        act=bonus_runs.dissolve_run,
    ),
}
REFUSE: Action[Run] = Action(
    label="Refuse the run",
    permissions=(VIEW, APPROVE),
    form=words_form("reason", "Why?", longest=1000, lines=3, help_text="Its preparer reads it."),
    run=partial(
        _do,
        act=bonus_runs.refuse_run,
        done="Refused. Its bonuses are owed still, and its preparer reads your reason.",
    ),
)
PAGES = ActionPages(
    actions={**STEPS, "refuse": REFUSE},
    find=lambda request, pk: [find_run(request, pk)],
    back=lambda found: reverse("admin:hits_run_change", args=[found[0].pk]),
    base=BASE,
    shared=lambda found: {"run": found[0]},
)


def urls(model: admin.ModelAdmin[Run]) -> list[URLPattern]:
    shown = model.admin_site.admin_view
    return [
        *(path(f"<int:pk>/{key}/", shown(PAGES.view(key)), name=f"hits_run_{key}") for key in STEPS),
        path("<int:pk>/refuse/", shown(require_POST(PAGES.view("refuse"))), name="hits_run_refuse"),
    ]
