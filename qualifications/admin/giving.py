"""Giving a gate to people and taking it back, by hand: with a reason, and asked before it happens."""

import re
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone

from hits.admin.selecting import signed_in
from hits.errors import RuleBroken
from hits.models import User, Worker
from hits.queries.people import workers_for
from qualifications.admin.finding import GRADE, HOLDINGS, find_gate, gates_for, need, render
from qualifications.models import Gate, Holding
from qualifications.services import holding as services

MOST = 500
GIVE, REVOKE, AGAIN = "give", "revoke", "again"
COLLEAGUES = "For the record; colleagues read it."
# What each is called, what it says afterwards, and who reads its reason.
VERBS = {
    GIVE: ("Give", "Given. The provider is told in a moment.", "For the record; colleagues read it."),
    REVOKE: ("Take back", "Taken back. The provider is told in a moment.", "The worker reads it."),
    AGAIN: (
        "Let try again",
        "The worker may take the test again. The provider is told in a moment.",
        "For the record; colleagues read it.",
    ),
}


class ReasonForm(forms.Form):
    reason = forms.CharField(label="Reason", max_length=500, widget=forms.Textarea(attrs={"rows": 3}))

    def __init__(self, data: QueryDict | None = None, *, read_by: str = COLLEAGUES) -> None:
        super().__init__(data, label_suffix="")
        self.fields["reason"].help_text = read_by

    def clean_reason(self) -> str:
        """A box of several lines is for reading; the reason is kept as one."""
        return " ".join(self.cleaned_data["reason"].split())


class GiveForm(ReasonForm):
    field_order = ("pseudonyms", "reason")
    pseudonyms = forms.CharField(
        label="Workers, by pseudonym",
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
        help_text=f"Separated by spaces, commas or lines; at most {MOST} at once.",
    )

    def clean_pseudonyms(self) -> list[str]:
        names = list(dict.fromkeys(re.split(r"[\s,;]+", self.cleaned_data["pseudonyms"].strip())))
        if len(names) > MOST:
            raise ValidationError(f"These are {len(names)}; give it to {MOST} at once.")
        return names


@dataclass(frozen=True, kw_only=True)
class Found:
    """Whom a list of pseudonyms names, as far as this person may see them."""

    workers: list[Worker]
    unknown: list[str]
    holding: int

    @property
    def getting(self) -> int:
        return len(self.workers) - self.holding


def hand_view(request: HttpRequest, pk: int, verb: str) -> HttpResponse:
    """One worker's: the page that asks, and then the deed."""
    need(request, HOLDINGS, GRADE)
    if verb not in VERBS:
        raise Http404
    rows = Holding.objects.filter(gate__in=gates_for(request.user)).select_related("gate__study", "worker")
    holding = get_object_or_404(rows, pk=pk)
    data = request.POST if request.method == "POST" else None
    form, status = ReasonForm(data, read_by=VERBS[verb][2]), 200
    if data is not None:
        status = 400
        if form.is_valid() and _do(request, holding.gate, holding.worker, verb, form.cleaned_data["reason"]):
            return redirect("admin:qualifications_holding_change", holding.pk)
    button = VERBS[verb][0]
    context = {"title": f"{button}: {holding.gate.name}", "holding": holding, "gate": holding.gate}
    context |= {"form": form, "verb": verb, "button": button}
    return render(request, "holding/hand", context, status=status)


def give_view(request: HttpRequest, gate_pk: int) -> HttpResponse:
    """A list of pseudonyms, shown again with who they are before anything is given."""
    gate = find_gate(request, gate_pk, HOLDINGS, GRADE)
    data = request.POST if request.method == "POST" else None
    form = GiveForm(data)
    context: dict[str, Any] = {"title": f"Give by hand: {gate.name}", "gate": gate, "form": form}
    if data is None:
        return render(request, "holding/give", context)
    if not form.is_valid():
        return render(request, "holding/give", context, status=400)
    found = _find(gate, form.cleaned_data["pseudonyms"], user=signed_in(request))
    if not found.getting or data.get("confirmed") != "yes":
        return render(request, "holding/give", {**context, "found": found})
    given = sum(
        _do(request, gate, worker, GIVE, form.cleaned_data["reason"], tell=False)
        for worker in found.workers
        if not worker.is_held  # type: ignore[attr-defined]
    )
    messages.success(request, f"Given to {given} worker{'' if given == 1 else 's'}.")
    return redirect(f"{reverse('admin:qualifications_holding_changelist')}?gate={gate.pk}")


def _do(
    request: HttpRequest, gate: Gate, worker: Worker, verb: str, reason: str, *, tell: bool = True
) -> bool:
    """False, with the reason on the next page, where nothing was changed."""
    call = {GIVE: services.give, REVOKE: services.revoke, AGAIN: services.let_try_again}[verb]
    try:
        call(gate=gate, worker=worker, by=signed_in(request), reason=reason, now=timezone.now())
    except RuleBroken as broken:
        messages.error(request, f"{worker}: {broken}")
        return False
    if tell:
        messages.success(request, VERBS[verb][1])
    return True


def _find(gate: Gate, names: list[str], *, user: User) -> Found:
    """Two queries."""
    workers = list(workers_for(user).filter(pseudonym__in=names).order_by("pseudonym"))
    passed = Holding.objects.filter(gate=gate, worker__in=workers, value=Holding.Value.PASSED)
    held = set(passed.values_list("worker", flat=True))
    for worker in workers:
        worker.is_held = worker.pk in held  # type: ignore[attr-defined]
    known = {worker.pseudonym for worker in workers}
    unknown = [name for name in names if name not in known]
    return Found(workers=workers, unknown=unknown, holding=len(held))
