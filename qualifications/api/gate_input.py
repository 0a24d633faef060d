"""A gate as it comes in: put into the form of the admin, checked there, and saved by the same services."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.http import QueryDict
from django.utils import timezone
from rest_framework import serializers

from hits.api.authentication import user_of
from hits.api.batches.drafts import NamedRow
from hits.core.errors import RuleBroken
from hits.studies.models import Study
from qualifications.admin.finding_gates import keep_history
from qualifications.admin.gate_forms import MOST_ROWS, GateEditor, GateForm
from qualifications.domain.gate_rules import ABOVE, AT_LEAST
from qualifications.models import Gate
from qualifications.services.gate_setup import add_gate, change_gate

SPAN = "test_duration_s"
PER_CENT: dict[str, Any] = {"min_value": 0, "max_value": 100}
LONGEST_XML = 65_535
LONGEST_S = 604_800
TABLES = ("rules", "floors")


class RuleInput(serializers.Serializer[Any]):
    measure = serializers.CharField(max_length=32)
    above = serializers.IntegerField(required=False, **PER_CENT)
    at_least = serializers.IntegerField(required=False, **PER_CENT)

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        if (ABOVE in values) == (AT_LEAST in values):
            raise serializers.ValidationError("Give either above or at_least, in per cent.")
        return values


class FloorInput(serializers.Serializer[Any]):
    measure = serializers.CharField(max_length=32)
    below = serializers.IntegerField(**PER_CENT)
    last = serializers.IntegerField(min_value=1, max_value=1000)


class GateInput(serializers.ModelSerializer[Gate]):
    study = NamedRow(Study.objects.all())
    opens = serializers.ListField(
        child=serializers.CharField(max_length=32), max_length=100, help_text="Keys of tasks."
    )
    rules = serializers.ListField(child=RuleInput(), required=False, max_length=MOST_ROWS)
    floors = serializers.ListField(child=FloorInput(), required=False, max_length=MOST_ROWS)

    class Meta:
        model = Gate
        fields = ("study", *GateForm.Meta.fields, *TABLES)
        # The form checks what belongs together, in the words that its page shows.
        validators: Sequence[Any] = ()
        extra_kwargs = {
            **{name: {"max_length": LONGEST_XML} for name in ("question_form", "answer_key")},
            SPAN: {"min_value": 30, "max_value": LONGEST_S},
            "retest_after_days": {"max_value": 32_767},
            "passing_value": {"max_value": 32_767},
        }

    def create(self, values: dict[str, Any]) -> Gate:
        """Make a gate that is off. Sent again with the same key, the first request's gate is answered."""
        study, key = values.pop("study"), values.pop("public_id", None)
        editor = _checked(GateEditor(study=study, data=_posted(Gate(), values)))
        gate = Gate(study=study, **editor.values(), **({"public_id": key} if key else {}))
        request = self.context["request"]
        add_gate(gate=gate, by=user_of(request), now=timezone.now())
        keep_history(request, gate, "Made.")
        return gate

    def update(self, gate: Gate, values: dict[str, Any]) -> Gate:
        """Change the gate. Raises RuleBroken, changing nothing, if one of the fields is fixed by now."""
        if values.pop("study", gate.study) != gate.study:
            raise serializers.ValidationError({"study": ["A gate stays in its study."]})
        editor = _checked(GateEditor(study=gate.study, gate=gate, data=_posted(gate, values)))
        request = self.context["request"]
        try:
            with transaction.atomic():
                changed = change_gate(
                    gate=gate, values=editor.values(), by=user_of(request), now=timezone.now()
                )
        except IntegrityError:
            raise RuleBroken("there_already", "Another gate has just been given this name or test.") from None
        if changed:
            keep_history(request, gate, f"Changed: {', '.join(changed)}.")
        return gate


def _checked(editor: GateEditor) -> GateEditor:
    """Return the editor if its form and its tables are valid. Raises ValidationError otherwise."""
    if editor.is_valid():
        return editor
    found: dict[str, Any] = {name: [*words] for name, words in editor.form.errors.items()}
    for name, table in zip(TABLES, (editor.rules, editor.floors), strict=True):
        if rows := [dict(row) for row in table.errors if row] + [*table.non_form_errors()]:
            found[name] = rows
    raise serializers.ValidationError(found)


def _posted(gate: Gate, values: Mapping[str, Any]) -> QueryDict:
    """Return the gate as its page would post it, with these values in place of its own."""
    sent = QueryDict(mutable=True)
    for name in GateForm.Meta.fields:
        value = values.get(name, getattr(gate, name))
        if name == SPAN:
            sent[f"{name}_amount"], sent[f"{name}_unit"] = str(value), "seconds"
        elif isinstance(value, list):
            sent.setlist(name, value)
        else:
            sent[name] = "" if value is None else str(value)
    for name in TABLES:
        rows = values.get(name, getattr(gate, name))
        sent[f"{name}-TOTAL_FORMS"], sent[f"{name}-INITIAL_FORMS"] = str(len(rows)), "0"
        for place, row in enumerate(rows):
            sent.update({f"{name}-{place}-{key}": str(value) for key, value in _as_row(row).items()})
    return sent


def _as_row(rule: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a rule as a row of the form, which has its comparison as a value; floors are rows already."""
    comparison = next((one for one in (ABOVE, AT_LEAST) if one in rule), None)
    if comparison is None:
        return rule
    return {"measure": rule["measure"], "comparison": comparison, "percent": rule[comparison]}
