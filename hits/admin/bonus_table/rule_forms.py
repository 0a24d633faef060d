"""A form for each kind of rule of the bonus table, and the saved row that it stands for."""

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any, ClassVar

from django import forms

from hits import families
from hits.admin.bonus_table.table_draft import RuleDraft
from hits.common.currencies import sign_of
from hits.core.domain import bonus_rules
from hits.core.domain.bonus_tables import LONGEST_NAME, MOST_BONUS


def amount_field(label: str, **options: Any) -> forms.DecimalField:
    return forms.DecimalField(
        label=label,
        min_value=bonus_rules.CENT,
        max_value=MOST_BONUS,
        decimal_places=2,
        widget=forms.NumberInput(attrs={"step": "0.01"}),
        **options,
    )


def percent_field(label: str, **options: Any) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=0, max_value=100, **options)


class CellsForm(forms.Form):
    """A form over one row's typed cells; sent or saved, their names are the same."""

    def __init__(self, cells: Mapping[str, str], *, prefix: str, is_sent: bool) -> None:
        data = {f"{prefix}-{name}": value for name, value in cells.items()} if is_sent else None
        super().__init__(
            data, initial=dict(cells), prefix=prefix, label_suffix="", use_required_attribute=False
        )

    def say_currency(self, currency: str) -> None:
        """Put the currency's sign into the labels of amounts."""
        for field in self.fields.values():
            field.label = str(field.label).replace("($)", f"({sign_of(currency)})")

    def row(self) -> dict[str, Any]:
        """Return the cells as a table keeps them: exact amounts as text, nothing for what was left empty."""
        return {
            name: f"{value:.2f}" if isinstance(value, Decimal) else value
            for name, value in self.cleaned_data.items()
            if value not in (None, "")
        }


class TierForm(CellsForm):
    amount = amount_field("Amount ($)")

    def __init__(self, cells: Mapping[str, str], *, prefix: str, is_sent: bool) -> None:
        super().__init__(cells, prefix=prefix, is_sent=is_sent)
        self.fields["from"] = percent_field("From (%)")
        self.fields["below"] = percent_field("Below (%)", required=False)
        self.order_fields(["from", "below", "amount"])


class RuleForm(CellsForm):
    """One rule of the table. Its kind was chosen when it was added, and decides on its fields."""

    kind: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    name = forms.CharField(max_length=LONGEST_NAME)

    def __init__(self, draft: RuleDraft, *, prefix: str, is_sent: bool) -> None:
        super().__init__(draft.cells, prefix=prefix, is_sent=is_sent)
        self.tiers = [
            TierForm(cells, prefix=f"{prefix}-tiers-{number}", is_sent=is_sent)
            for number, cells in enumerate(draft.tiers)
        ]
        for name in ("measure", "when_measure"):
            if name in self.fields:
                choices = measure_choices(known={draft.cells.get(name, "")} - {""})
                self.fields[name].choices = choices  # type: ignore[attr-defined]

    def say_currency(self, currency: str) -> None:
        super().say_currency(currency)
        for tier in self.tiers:
            tier.say_currency(currency)

    def as_rule(self) -> dict[str, Any]:
        return {"kind": self.kind, **self.row()}


class FlatForm(RuleForm):
    kind, title = bonus_rules.Flat.kind, "The same for every approved answer"
    about = "Every approved submission earns the amount."
    amount = amount_field("Amount ($)")


class ThresholdForm(RuleForm):
    measure = forms.ChoiceField(label="Measured is")
    at_least = percent_field("At least (%)")
    amount = amount_field("Amount ($)")


class ConditionForm(ThresholdForm):
    kind, title = bonus_rules.Condition.kind, "Once, where the mean is high enough"
    about = "A submission earns the amount once, where the mean over its items is at least so high."

    def as_rule(self) -> dict[str, Any]:
        return self.row()  # the kind that a row without one has


class PerItemForm(ThresholdForm):
    kind, title = bonus_rules.PerItem.kind, "For each item that scores high enough"
    about = "Each item of a submission earns the amount by itself, where it is at least so high."


class TiersForm(RuleForm):
    kind, title = bonus_rules.Tiers.kind, "For each item by its score"
    about = (
        "Each item earns the amount of the tier that its score falls into. “From” is in the tier, “below” is "
        "not; an empty “below” reaches to 100."
    )
    measure = forms.ChoiceField(label="Measured is")
    when_measure = forms.ChoiceField(
        label="Only where", required=False, help_text="A second measure: items below it earn nothing."
    )
    when_at_least = percent_field("is at least (%)", required=False)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        given = {name: cleaned.get(name) not in (None, "") for name in ("when_measure", "when_at_least")}
        if any(given.values()) and not all(given.values()):
            name = next(name for name, is_given in given.items() if not is_given)
            if name not in self.errors:
                self.add_error(name, "Fill in both the second measure and its limit, or neither.")
        if not self.tiers:
            self.add_error(None, "Add a tier: without one the rule earns nothing.")
        return cleaned

    def is_valid(self) -> bool:
        return all([super().is_valid(), *(tier.is_valid() for tier in self.tiers)])

    def as_rule(self) -> dict[str, Any]:
        row = super().as_rule()
        gate = {name: row.pop(f"when_{name}", None) for name in ("measure", "at_least")}
        when = {"when": gate} if gate["measure"] else {}
        return {**row, **when, "tiers": [tier.row() for tier in self.tiers]}


class WageForm(RuleForm):
    kind, title = bonus_rules.Wage.kind, "What is missing to an hourly wage"
    about = "It pays what reward and other bonuses lack to the wage, for the active time."
    hourly = amount_field(
        "Wage an hour ($)", required=False, help_text="Empty: the study's wage floor at the launch."
    )
    at_most = amount_field("At most ($)")


KINDS: Mapping[str, type[RuleForm]] = {
    form.kind: form for form in (TiersForm, PerItemForm, ConditionForm, FlatForm, WageForm)
}


def measure_choices(*, known: Collection[str]) -> list[tuple[str, str]]:
    """Return the measures that families announce, with their names; and those that the table already has."""
    measures = sorted({*families.known_measures(), *known})
    return [("", "–––"), *((one, measure_label(one)) for one in measures)]


def measure_label(measure: str) -> str:
    name = families.measure_name(measure)
    return measure if name == measure else f"{measure}: {name}"
