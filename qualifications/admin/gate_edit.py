"""Pages that make and change a gate, from a preset or by hand, in one form."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from django.contrib import messages
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from hits import families
from hits.admin.page_parts import read_number
from hits.admin.selection import need, signed_in
from hits.core.errors import RuleBroken
from hits.studies.models import Study
from hits.work.access import studies_of
from qualifications.admin.finding_gates import ADD, CHANGE, VIEW, find_gate, find_study, keep_history, render
from qualifications.admin.gate_forms import GateEditor
from qualifications.models import Gate
from qualifications.presets import PRESETS, Preset
from qualifications.queries import gate_words
from qualifications.services.gate_setup import add_gate, change_gate, fixed_fields

BY_HAND = "by-hand"
MOST_STUDIES = 200


def add_view(request: HttpRequest) -> HttpResponse:
    """Add a gate: first the study is chosen, then the preset, then the form is filled in."""
    need(request, VIEW, ADD)
    asked = request.GET
    if "study" not in asked:
        studies = studies_of(request.user).order_by("-pk")[:MOST_STUDIES]
        return render(request, "gate/choose_study", {"title": "A gate for which study?", "studies": studies})
    study = find_study(request, read_number(asked["study"]), VIEW, ADD)
    preset = asked.get("preset", "")
    if preset != BY_HAND and preset not in PRESETS:
        context = {"title": "Add a gate", "study": study, "presets": _presets(study)}
        return render(request, "gate/choose_preset", context)
    initial = _initial(PRESETS[preset]) if preset in PRESETS else {}
    return _edit(request, study=study, gate=None, initial=initial)


def edit_view(request: HttpRequest, pk: int) -> HttpResponse:
    gate = find_gate(request, pk, VIEW, CHANGE)
    return _edit(request, study=gate.study, gate=gate, initial={})


def _edit(
    request: HttpRequest, *, study: Study, gate: Gate | None, initial: Mapping[str, Any]
) -> HttpResponse:
    data = request.POST if request.method == "POST" else None
    fixed = fixed_fields(gate) if gate else frozenset()
    editor = GateEditor(study=study, gate=gate, initial=initial, data=data, fixed=fixed)
    status = 200
    if data is not None:
        if editor.is_valid() and (saved := _save(request, editor, study=study, gate=gate)):
            return redirect("admin:qualifications_gate_change", saved.pk)
        status = 400
    context = {
        "title": f"Change {gate.name}" if gate else "Add a gate",
        "study": study,
        "gate": gate,
        "editor": editor,
        "form": editor.form,
        "fixed": fixed,
        "is_tried": "test_task" in fixed,
        "back": _back(study, gate),
    }
    return render(request, "gate/edit", context, status=status)


def _save(request: HttpRequest, editor: GateEditor, *, study: Study, gate: Gate | None) -> Gate | None:
    """Save the form; None if another person was faster, and the input is then shown again with the reason."""
    by, now = signed_in(request), timezone.now()
    try:
        if gate is None:
            made = Gate(study=study, **editor.values())
            add_gate(gate=made, by=by, now=now)
            messages.success(request, "Saved. It is switched off until you switch it on.")
            keep_history(request, made, "Made.")
            return made
        changed = change_gate(gate=gate, values=editor.values(), by=by, now=now)
    except RuleBroken as broken:
        messages.error(request, str(broken))
        return None
    except IntegrityError:
        messages.error(request, "Another person has made a gate of this name or with this test meanwhile.")
        return None
    if changed:
        keep_history(request, gate, f"Changed: {', '.join(changed)}.")
    messages.success(request, "Saved." if changed else "Nothing was different.")
    return gate


def _back(study: Study, gate: Gate | None) -> str:
    if gate:
        return reverse("admin:qualifications_gate_change", args=[gate.pk])
    return f"{reverse('admin:qualifications_gate_changelist')}?study__id__exact={study.pk}"


def _presets(study: Study) -> list[dict[str, Any]]:
    """Presets in words, each with why it cannot be chosen: its test is not installed here, or has a gate."""
    taken = {*Gate.objects.filter(study=study).values_list("test_task", flat=True)}
    known, shown = families.registered(), []
    for key, preset in PRESETS.items():
        gate = Gate(study=study, **_initial(preset))
        why_not = ""
        if preset.test_task not in known:
            why_not = "Its task is not part of this installation."
        elif preset.test_task in taken:
            why_not = "This study has a gate with this test already."
        words = {"opens": gate_words.opens_in_words(gate), "passed": gate_words.passed_in_words(gate)}
        shown.append({"key": key, "gate": gate, "why_not": why_not, **words})
    return shown


def _initial(preset: Preset) -> dict[str, Any]:
    values = {field.name: getattr(preset, field.name) for field in fields(preset) if field.name != "key"}
    return {**values, "opens": list(preset.opens), "rules": [dict(rule) for rule in preset.rules]}
