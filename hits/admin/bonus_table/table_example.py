"""What an answer of chosen scores would earn by a bonus table, by the rules that pay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django import forms

from hits.admin.bonus_table.rule_forms import measure_label
from hits.common.currencies import sign_of
from hits.core.domain.bonus_rules import BonusRule, Wage, Work, evaluate
from hits.payments.services.bonus_words import reason_of

MINUTE_S = 60
MOST_ITEMS = 10
SCORE = "score_"
DEFAULTS = {"items": "1", "reward": "0.10", "minutes": "5"}
DEFAULT_SCORE = "80"


@dataclass(frozen=True, kw_only=True)
class Earned:
    """The amount of one rule, and what the worker would read about it."""

    name: str
    amount: Decimal
    words: str


class ExampleForm(forms.Form):
    """An answer to try the table with. What a page did not send is filled in."""

    items = forms.IntegerField(label="Items in the answer", min_value=1, max_value=MOST_ITEMS)

    def __init__(
        self, data: Mapping[str, Any], *, prefix: str, rules: Sequence[BonusRule], currency: str
    ) -> None:
        measures = sorted({measure for rule in rules for measure in rule.measures})
        defaults = {**DEFAULTS, **{f"{SCORE}{measure}": DEFAULT_SCORE for measure in measures}}
        sent = {f"{prefix}-{name}": data.get(f"{prefix}-{name}", value) for name, value in defaults.items()}
        super().__init__(sent, prefix=prefix, label_suffix="", use_required_attribute=False)
        for measure in measures:
            self.fields[f"{SCORE}{measure}"] = forms.DecimalField(
                label=f"{measure_label(measure)} (%)", min_value=0, max_value=100, decimal_places=2
            )
        if any(isinstance(rule, Wage) for rule in rules):
            self.fields["reward"] = forms.DecimalField(
                label=f"Reward ({sign_of(currency)})", min_value=0, max_value=1000, decimal_places=2
            )
            self.fields["minutes"] = forms.DecimalField(
                label="Active time (minutes)", min_value=0, max_value=1000, decimal_places=2
            )

    def work(self) -> Work:
        values = self.cleaned_data
        scores = {
            name.removeprefix(SCORE): Fraction(value) / 100
            for name, value in values.items()
            if name.startswith(SCORE)
        }
        return Work(
            items=[scores] * values["items"],
            reward=values.get("reward", Decimal(0)),
            seconds=int(values.get("minutes", Decimal(0)) * MINUTE_S),
        )


class TableExample:
    """The example below a table: its form, and what each rule comes to, in the order of the table."""

    def __init__(
        self,
        rules: Sequence[BonusRule],
        *,
        data: Mapping[str, Any],
        prefix: str,
        is_partial: bool,
        currency: str,
    ) -> None:
        self.form = ExampleForm(data, prefix=prefix, rules=rules, currency=currency)
        self.currency = currency
        self.is_partial = is_partial
        self.lines = _lines(rules, self.form.work(), currency=currency) if self.form.is_valid() else []
        self.lacks_wage = any(isinstance(rule, Wage) and rule.hourly is None for rule in rules)

    @property
    def total(self) -> Decimal:
        return sum((line.amount for line in self.lines), Decimal(0))


def _lines(rules: Sequence[BonusRule], work: Work, *, currency: str) -> list[Earned]:
    return [
        Earned(
            name=earned.rule,
            amount=earned.amount,
            words=reason_of(earned.rule, earned.figures, currency=currency)
            if earned.amount
            else "Nothing by this rule.",
        )
        for earned in evaluate(rules, work=work)
    ]
