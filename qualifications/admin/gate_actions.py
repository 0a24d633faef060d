"""Actions on a gate: switch it on or off, and ask again at a provider that refused its type."""

from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils.html import format_html

from hits.admin.actions import Action, Call, Confirm, Outcome
from hits.admin.actions.action_pages import ActionPages
from qualifications.admin.finding_gates import BASE, CHANGE, VIEW, find_gate, keep_history, shared_of
from qualifications.models import Gate, PlatformType
from qualifications.queries.gate_figures import SwitchEffect, affected_by
from qualifications.queries.gate_words import words_of
from qualifications.services.gate_setup import switch_gate
from qualifications.services.platform import retry_type

MEANINGS = {
    True: "From then on only workers who have passed can start what it opens. Work that has been begun may "
    "be submitted, and is paid.",
    False: "From then on nobody is kept out by it, and its test is ordinary work. What people hold of it is "
    "kept, and counts again when it is switched on.",
}
KEPT = {
    True: "Their HITs at the provider keep the terms that they were launched with; our own pages ask for the "
    "gate at once.",
    False: "Their HITs at the provider keep the terms that they were launched with, so they go on asking for "
    "the gate there. To let people into them, give the gate by hand to whom you choose; or close them and "
    "launch copies, which no longer ask for it.",
}
DONE = {
    True: "It is on: from now on only workers who have passed can start what it opens.",
    False: "It is off: nobody is kept out by it any more.",
}
UNTESTED = {True: "nobody can pass before you launch one.", False: "nobody is being tested."}


def switch_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Switch the gate, after a confirmation that says whom it concerns."""
    given = request.POST if request.method == "POST" else request.GET
    return SWITCHING.answer(request, "on" if given.get("to") == "on" else "off", pk=pk)


def retry_view(request: HttpRequest, pk: int, type_pk: int) -> HttpResponse:
    return RETRYING.answer(request, "retry", pk=pk, type_pk=type_pk)


def _ask(call: Call[Gate], *, on: bool) -> Confirm:
    gate, affected = call.row, affected_by(call.row)
    to = "on" if on else "off"
    tested = [_tested(affected, on=on)] if gate.test_task else []
    count = affected.held
    held = f"{count} worker{pluralize(count)} hold{pluralize(count, 's,')} it already."
    return Confirm(
        title=f"Switch {to} {gate.name}?",
        text=MEANINGS[on],
        detail="admin/qualifications/gate/words.html",
        details=words_of(gate),
        consequences=[
            _kept(affected, on=on),
            *tested,
            held if count else "Nobody holds it yet.",
        ],
        button=f"Switch it {to}",
        hidden=[("to", to)],
    )


def _kept(affected: SwitchEffect, *, on: bool) -> str:
    count = len(affected.kept)
    if not count:
        return "No batch of what it opens runs now."
    runs = f"{count} batch{pluralize(count, 'es')} of what it opens {pluralize(count, 'runs,run')} now"
    return f"{runs}: {', '.join(affected.kept_titles)}. {KEPT[on]}"


def _tested(affected: SwitchEffect, *, on: bool) -> str:
    if affected.tests:
        return f"The test runs: {', '.join(affected.test_titles)}."
    return format_html("<strong>No batch of the test runs:</strong> {}", UNTESTED[on])


def _switch(call: Call[Gate], *, on: bool) -> Outcome:
    to = "on" if on else "off"
    if switch_gate(gate=call.row, on=on, by=call.by, now=call.now):
        return Outcome(said=DONE[on], history=f"Switched {to}.")
    return Outcome(said=f"It was {to} already.", level=messages.INFO)


def _switching(label: str, *, on: bool) -> Action[Gate]:
    return Action(
        label=label, permissions=(VIEW, CHANGE), confirm=partial(_ask, on=on), run=partial(_switch, on=on)
    )


def _find_type(request: HttpRequest, pk: int, type_pk: int) -> list[PlatformType]:
    gate = find_gate(request, pk, VIEW, CHANGE)
    return [get_object_or_404(gate.platform_types.select_related("account"), pk=type_pk)]


def _retry(call: Call[PlatformType]) -> Outcome:
    retry_type(platform_type=call.row, by=call.by, now=call.now)
    return Outcome(said=f"{call.row.account} is asked again in a moment.")


def _address(gate_pk: int) -> str:
    return reverse("admin:qualifications_gate_change", args=[gate_pk])


SWITCHING = ActionPages(
    actions={"on": _switching("Switch on", on=True), "off": _switching("Switch off", on=False)},
    find=lambda request, pk: [find_gate(request, pk, VIEW, CHANGE)],
    back=lambda gates: _address(gates[0].pk),
    base=BASE,
    shared=lambda gates: shared_of(gates[0]),
    history=lambda request, gates, words: keep_history(request, gates[0], words),
)
RETRYING = ActionPages(
    actions={"retry": Action(label="Try again", permissions=(VIEW, CHANGE), run=_retry)},
    find=_find_type,
    back=lambda types: _address(types[0].gate_id),
)
