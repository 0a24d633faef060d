"""Actions by hand on what one worker holds, each with a reason and a confirmation."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from hits.admin.actions import Action, Call, Confirm, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.actions.reason_form import words_form
from qualifications.admin.finding_gates import BASE, GRADE, HOLDINGS, gates_for, shared_of
from qualifications.models import Holding
from qualifications.services import gate_holdings as services

GIVE, REVOKE, AGAIN = "give", "revoke", "again"
TOLD = "The provider is told in a moment."
LONGEST = 500
COLLEAGUES = "For the record; colleagues read it."


def _find_holding(request: HttpRequest, pk: int) -> list[Holding]:
    rows = Holding.objects.filter(gate__in=gates_for(request.user)).select_related("gate__study", "worker")
    return [get_object_or_404(rows, pk=pk)]


def _address(holding: Holding) -> str:
    return reverse("admin:qualifications_holding_change", args=[holding.pk])


def _ask(call: Call[Holding], *, button: str, meaning: str) -> Confirm:
    gate = call.row.gate
    return Confirm(title=f"{button}: {gate.name}", text=emphasize(meaning, call.row.worker, gate.name))


def _hand(call: Call[Holding], *, do: Any, done: str) -> Outcome:
    holding = call.row
    do(gate=holding.gate, worker=holding.worker, by=call.by, reason=call.values["reason"], now=call.now)
    return Outcome(said=f"{done} {TOLD}")


def _handing(label: str, *, meaning: str, do: Any, done: str, read_by: str = COLLEAGUES) -> Action[Holding]:
    return Action(
        label=label,
        permissions=(HOLDINGS, GRADE),
        form=words_form("reason", "Reason", longest=LONGEST, lines=3, help_text=read_by),
        confirm=partial(_ask, button=label, meaning=meaning),
        run=partial(_hand, do=do, done=done),
    )


HANDED: Mapping[str, Action[Holding]] = {
    GIVE: _handing(
        "Give",
        meaning="{0} may then do what {1} opens, whatever the tests say.",
        do=services.give,
        done="Given.",
    ),
    REVOKE: _handing(
        "Take back",
        meaning="{0} can then start nothing more of what {1} opens. Work that has been begun may be "
        "submitted, and is paid. No retest opens by itself: only a person can give it again.",
        do=services.revoke,
        done="Taken back.",
        read_by="The worker reads it.",
    ),
    AGAIN: _handing(
        "Let try again",
        meaning="{0} may then take the test of {1} once more, as if it had never been tried.",
        do=services.let_try_again,
        done="The worker may take the test again.",
    ),
}
HANDING = ActionPages(
    actions=HANDED,
    find=_find_holding,
    back=lambda holdings: _address(holdings[0]),
    base=BASE,
    shared=lambda holdings: shared_of(
        holdings[0].gate, trail=[(str(holdings[0].worker), _address(holdings[0]))]
    ),
)


def hand_view(request: HttpRequest, pk: int, verb: str) -> HttpResponse:
    return HANDING.answer(request, verb, pk=pk)
