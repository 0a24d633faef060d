"""The gates of a paper, made from the family's presets and switched on."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from django import forms

from crowd.papers.parts.figure_fields import count_field, in_percent, percent_field
from crowd.papers.parts.part_base import Cell, SetupPart, SetupRow, in_place
from hits.core.errors import RuleBroken
from hits.families.paper_figures import PaperGate
from hits.identity.models.users import User
from qualifications.domain.gate_rules import ABOVE, AT_LEAST, Bound
from qualifications.models import Gate
from qualifications.presets import PRESETS, Preset
from qualifications.queries.gate_words import limit_in_words, task_name
from qualifications.services.gate_setup import add_gate, change_gate, fixed_fields, switch_gate

COMPARISONS = {ABOVE: "above", AT_LEAST: "at least"}
TRIED = "workers have tried it"
TYPED = "the provider has its test already"
NO_FURTHER = "none"
RUNS = "work that it opens was launched before"


class GatesPart(SetupPart):
    title = "Gates"
    about = (
        "Each gate is made with these figures and switched on; its test is a batch like others, which you "
        "launch first. A gate that workers have tried stays as it is."
    )

    def permissions(self) -> Sequence[str]:
        return ("qualifications.add_gate", "qualifications.change_gate") if self.paper.gates else ()

    def rows(self) -> Sequence[SetupRow]:
        there = {gate.test_task: gate for gate in Gate.objects.filter(study=self.study)}
        return [self._row(one, there.get(PRESETS[one.preset].test_task)) for one in self.paper.gates]

    def put(self, values: Mapping[str, Any], *, by: User, now: datetime) -> list[str]:
        said = []
        for one in self.paper.gates:
            preset = PRESETS[one.preset]
            gate = Gate.objects.filter(study=self.study, test_task=preset.test_task).first()
            cells = [c for c in self._row(one, gate).cells if not c.kept and c.key in values]
            changed = [(cell, values[cell.key]) for cell in cells if values[cell.key] != cell.now]
            said += in_place(changed, of=preset.name)
            if changed:
                self._put(preset, gate, {cell.key: value for cell, value in changed}, by=by, now=now)
        return said

    def _put(
        self, preset: Preset, gate: Gate | None, values: Mapping[str, Any], *, by: User, now: datetime
    ) -> None:
        figures: dict[str, Any] = {
            "rules": [
                {**rule, _comparison(rule): values.get(_key(preset, rule["measure"]), _percent(rule, gate))}
                for rule in preset.rules
            ]
        }
        if (items := values.get(_key(preset, "items"))) is not None:
            figures["items"] = items
        if gate and _key(preset, "further") not in values:
            figures["rules"] += [_as_row(bound) for bound in _further(preset, gate)]
        if _key(preset, "opens") in values:
            figures["opens"] = list(preset.opens)
        if _key(preset, "grading") in values:
            figures["grading"] = preset.grading
        if gate is None:
            if Gate.objects.filter(study=self.study, name=preset.name).exists():
                raise RuleBroken(
                    "name_taken",
                    f"The study has another gate that is called “{preset.name}”. Rename it first.",
                )
            gate = Gate(study=self.study, **{**_values_of(preset), **figures})
            add_gate(gate=gate, by=by, now=now)
        elif any(key != _key(preset, "on") for key in values):
            change_gate(gate=gate, values=figures, by=by, now=now)
        if (on := values.get(_key(preset, "on"))) is not None:
            switch_gate(gate=gate, on=on, by=by, now=now)

    def _row(self, one: PaperGate, gate: Gate | None) -> SetupRow:
        preset = PRESETS[one.preset]
        fixed = fixed_fields(gate) if gate else frozenset[str]()
        tried = TRIED if "test_task" in fixed else ""
        cells = [
            Cell(
                key=_key(preset, rule["measure"]),
                label=f"mean “{rule['measure']}” {COMPARISONS[_comparison(rule)]}, per cent",
                stated=rule[_comparison(rule)],
                now=_percent(rule, gate) if gate else None,
                field=percent_field(),
                in_words=in_percent,
                kept=tried,
            )
            for rule in preset.rules
        ]
        cells.append(
            Cell(
                key=_key(preset, "items"),
                label="questions",
                stated=preset.items,
                now=gate.items if gate else None,
                field=count_field(most=100),
                kept=tried,
            )
        )
        if gate:
            cells += self._other_cells(preset, gate, tried=tried, fixed=fixed)
        is_on = gate is not None and gate.is_active
        opened = [*preset.opens, *(gate.opens if gate else ())]
        cells.append(
            Cell(
                key=_key(preset, "on"),
                label="switched on",
                stated=True,
                now=is_on if gate else None,
                field=forms.BooleanField(required=False),
                in_words=lambda on: "yes" if on else "no",
                kept="" if is_on or not self.runs(opened) else RUNS,
            )
        )
        return SetupRow(name=preset.name, origin=self.paper.place(one.origin), cells=cells)

    def _other_cells(self, preset: Preset, gate: Gate, *, tried: str, fixed: Collection[str]) -> list[Cell]:
        """Return what else the gate has of its own: what it opens, how it is graded, further rules."""
        runs = RUNS if gate.is_active and self.runs([*{*preset.opens} - {*gate.opens}]) else ""
        own = Gate.Grading(gate.grading).label
        further = "; ".join(map(_in_words, _further(preset, gate)))
        compared = (
            ("opens", "opens", _names(preset.opens), _names(gate.opens), runs),
            (
                "grading",
                "graded",
                Gate.Grading(preset.grading).label,
                own,
                TYPED if "grading" in fixed else "",
            ),
            ("further", "further rules", NO_FURTHER, further or NO_FURTHER, ""),
        )
        return [
            Cell(
                key=_key(preset, name),
                label=label,
                stated=stated,
                now=now,
                field=forms.ChoiceField(choices=[(stated, stated), (now, now)]),
                kept=tried or kept,
            )
            for name, label, stated, now, kept in compared
            if stated != now
        ]


def _key(preset: Preset, name: str) -> str:
    return f"gate-{preset.key}-{name}"


def _comparison(rule: Mapping[str, Any]) -> str:
    return ABOVE if ABOVE in rule else AT_LEAST


def _percent(rule: Mapping[str, Any], gate: Gate | None) -> int | None:
    """Return the gate's own bound of the rule's measure and comparison; the preset's if there is no gate."""
    name = _comparison(rule)
    if gate is None:
        stated: int = rule[name]
        return stated
    own = (one for one in gate.bounds if one.measure == rule["measure"])
    return next((one.percent for one in own if one.strictly == (name == ABOVE)), None)


def _further(preset: Preset, gate: Gate) -> list[Bound]:
    """Return the gate's bounds that bound nothing of the preset's."""
    stated = [(rule["measure"], _comparison(rule) == ABOVE) for rule in preset.rules]
    found = []
    for bound in gate.bounds:
        if (kind := (bound.measure, bound.strictly)) in stated:
            stated.remove(kind)
        else:
            found.append(bound)
    return found


def _as_row(bound: Bound) -> dict[str, Any]:
    return {"measure": bound.measure, ABOVE if bound.strictly else AT_LEAST: bound.percent}


def _in_words(bound: Bound) -> str:
    return f"mean “{bound.measure}” {limit_in_words(bound)}"


def _names(tasks: Collection[str]) -> str:
    return ", ".join(sorted(task_name(task) for task in tasks)) or "nothing"


def _values_of(preset: Preset) -> dict[str, Any]:
    values = {field.name: getattr(preset, field.name) for field in fields(preset) if field.name != "key"}
    return {**values, "opens": list(preset.opens)}
