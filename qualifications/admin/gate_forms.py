"""The form of a gate, for people who write no JSON: one row for each rule, boxes for the tasks it opens."""

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from hits import families
from hits.admin.spans import SpanField
from hits.studies.models import Study
from qualifications.domain.gate_rules import ABOVE, AT_LEAST
from qualifications.models import Gate
from qualifications.queries.gate_words import task_name
from qualifications.services.provider_grants import check_provider_test

MOST_ROWS = 8
FREE_ROWS = 2
DAY_S = 86_400
Grading = Gate.Grading


class Row(forms.Form):
    """One row of the form, ignored while it is empty; a half-filled row is an error."""

    measure = forms.ChoiceField(label="Measure", required=False)
    names: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *args: Any, measures: Collection[str], **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})
        # Otherwise a row that was sent as it was shown would be passed over.
        self.empty_permitted = False
        self.fields["measure"].choices = [("", "–––"), *((one, one) for one in measures)]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        given = {name: cleaned.get(name) not in (None, "") for name in ("measure", *self.names)}
        if any(given.values()) and not self.errors:
            for name in [name for name, is_given in given.items() if not is_given]:
                self.add_error(name, "Fill in the whole row, or leave all of it empty.")
        return cleaned


class RuleRow(Row):
    names = ("percent",)
    comparison = forms.ChoiceField(
        label="must be", choices=[(ABOVE, "above"), (AT_LEAST, "at least")], initial=ABOVE, required=False
    )
    percent = forms.IntegerField(label="per cent", min_value=0, max_value=100, required=False)

    def as_rule(self) -> dict[str, Any] | None:
        row = self.cleaned_data
        if not row.get("measure"):
            return None
        return {"measure": row["measure"], row.get("comparison") or ABOVE: row["percent"]}


class FloorRow(Row):
    names = ("below", "last")
    last = forms.IntegerField(label="of the latest scores", min_value=1, max_value=1000, required=False)
    below = forms.IntegerField(label="below (per cent)", min_value=0, max_value=100, required=False)

    def as_rule(self) -> dict[str, Any] | None:
        row = self.cleaned_data
        if not row.get("measure"):
            return None
        return {"measure": row["measure"], "below": row["below"], "last": row["last"]}


class GateForm(forms.ModelForm[Gate]):
    test_task = forms.ChoiceField(
        label="Test",
        required=False,
        help_text="The task whose batches in this study are attempts. A study has each test once.",
    )
    opens = forms.MultipleChoiceField(
        label="What it opens",
        widget=forms.CheckboxSelectMultiple,
        help_text="Workers of this study can do these only once they have passed. A test can be opened too: "
        "then it comes second.",
    )
    test_duration_s = SpanField(label="Time for the provider's test", least=30, most=7 * DAY_S)

    class Meta:
        model = Gate
        fields = (
            "name",
            "description",
            "grading",
            "test_task",
            "opens",
            "items",
            "retest_after_days",
            "question_form",
            "answer_key",
            "test_duration_s",
            "passing_value",
        )
        widgets: ClassVar[dict[str, Any]] = {
            "description": forms.Textarea(attrs={"rows": 2}),
            "grading": forms.RadioSelect,
            "question_form": forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
            "answer_key": forms.Textarea(attrs={"rows": 6, "spellcheck": "false"}),
            "retest_after_days": forms.NumberInput(attrs={"min": "0"}),
        }
        labels: ClassVar[dict[str, str]] = {
            "grading": "Who grades it",
            "items": "Items that must be scored",
            "retest_after_days": "May be tried again after (days)",
            "question_form": "Questions (QuestionForm XML)",
            "answer_key": "Answers (AnswerKey XML)",
            "passing_value": "Passed above a score of",
        }
        help_texts: ClassVar[dict[str, str]] = {
            "question_form": "As the Requester API takes it.",
            "answer_key": "With it the provider scores each test as soon as it is submitted.",
            "items": "A test is graded once so many of its items have a score by each measure.",
        }

    def __init__(self, *args: Any, study: Study, fixed: Collection[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})
        self.study = study
        kept = self.instance.test_task or self.initial.get("test_task", "")
        tests = [key for key in families.offered() if families.is_test(key)]
        self.fields["test_task"].choices = [("", "–––"), *_named({*tests, kept} - {""})]  # type: ignore[attr-defined]
        opened = {*families.offered(), *(self.instance.opens or self.initial.get("opens", []))}
        self.fields["opens"].choices = _named(opened)  # type: ignore[attr-defined]
        self.fields["grading"].choices = Grading.choices  # type: ignore[attr-defined]
        for name in fixed:
            self.fields[name].disabled = True

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"].strip()
        if self._others().filter(name=name).exists():
            raise ValidationError("This study has a gate of this name already.")
        return name

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("grading") == Grading.PROVIDER:
            cleaned["test_task"] = ""
            self._check_xml(cleaned)
        elif task := cleaned.get("test_task"):
            self._check_task(task, cleaned.get("opens", []))
        else:
            self.add_error("test_task", "Choose the test.")
        return cleaned

    def values(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self.fields}

    def _check_task(self, task: str, opens: Collection[str]) -> None:
        if task in opens:
            self.add_error("opens", "A test cannot open itself.")
        if self._others().filter(test_task=task).exists():
            self.add_error("test_task", "Another gate of this study has this test already.")

    def _check_xml(self, cleaned: Mapping[str, Any]) -> None:
        if not cleaned.get("question_form", "").strip():
            self.add_error("question_form", "The provider's test needs its questions.")
            return
        try:
            check_provider_test(cleaned["question_form"], cleaned.get("answer_key", ""))
        except ValueError as error:
            self.add_error("question_form", str(error))

    def _others(self) -> Any:
        return Gate.objects.filter(study=self.study).exclude(pk=self.instance.pk)


class GateEditor:
    """The form with its two tables of rows, checked and saved as one."""

    def __init__(
        self,
        *,
        study: Study,
        gate: Gate | None = None,
        initial: Mapping[str, Any] | None = None,
        data: QueryDict | None = None,
        fixed: Collection[str] = (),
    ) -> None:
        start = dict(initial or {})
        rules = gate.rules if gate else start.get("rules", [])
        floors = gate.floors if gate else start.get("floors", [])
        self.form = GateForm(data, instance=gate or Gate(), initial=start, study=study, fixed=fixed)
        self.rules = _rows(RuleRow, "rules", data, initial=[_rule_initial(row) for row in rules])
        self.floors = _rows(FloorRow, "floors", data, initial=[dict(row) for row in floors])

    def is_valid(self) -> bool:
        valid = all([self.form.is_valid(), self.rules.is_valid(), self.floors.is_valid()])
        return self._check_rules() and valid

    def values(self) -> dict[str, Any]:
        return {**self.form.values(), "rules": _read(self.rules), "floors": _read(self.floors)}

    def _check_rules(self) -> bool:
        """Whether the form is valid and a test graded by scores has rules, only for measures of the test."""
        if not (self.rules.is_valid() and self.floors.is_valid()) or "grading" not in self.form.cleaned_data:
            return False
        cleaned, rules = self.form.cleaned_data, _read(self.rules)
        if cleaned["grading"] != Grading.SCORES:
            return True
        if not rules:
            self.form.add_error(None, "A test that is graded by its scores needs a rule.")
        measured = _measures_of(cleaned.get("test_task", ""))
        for rule in rules:
            if measured and rule["measure"] not in measured:
                words = f"This test does not measure ‘{rule['measure']}’; it measures: {', '.join(measured)}."
                self.form.add_error(None, words)
        return not self.form.errors


def _rows(row: type[Row], prefix: str, data: QueryDict | None, *, initial: list[dict[str, Any]]) -> Any:
    known = sorted({*families.known_measures(), *(one["measure"] for one in initial)})
    made: Any = forms.formset_factory(row, extra=FREE_ROWS, max_num=MOST_ROWS, absolute_max=MOST_ROWS)
    return made(data, prefix=prefix, initial=initial, form_kwargs={"measures": known})


def _rule_initial(rule: Mapping[str, Any]) -> dict[str, Any]:
    comparison = ABOVE if ABOVE in rule else AT_LEAST
    return {"measure": rule["measure"], "comparison": comparison, "percent": rule[comparison]}


def _read(rows: Any) -> list[dict[str, Any]]:
    return [rule for row in rows if (rule := row.as_rule())]


def _measures_of(task: str) -> tuple[str, ...]:
    """Measures of a task; none are known of a task that is not installed here."""
    known = families.registered()
    return known[task].measures if task in known else ()


def _named(keys: Collection[str]) -> list[tuple[str, str]]:
    return sorted(((key, task_name(key)) for key in keys), key=lambda one: one[1])
