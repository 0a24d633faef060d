"""The bonus table as a part of any form: rows of rules, buttons that change them, and a live example.

The page works without a script: its buttons send the form, which is shown again, changed and not saved.
With `hits/bonus_table.js` they ask `table_pages` for the same part alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from hits import families
from hits.admin.bonus_table.rule_forms import KINDS, RuleForm
from hits.admin.bonus_table.table_draft import MOST_ROWS, TableDraft, draft_of_table, read_draft
from hits.admin.bonus_table.table_example import TableExample
from hits.common.currencies import Currency
from hits.core.domain.bonus_rules import BonusRule
from hits.core.domain.bonus_tables import MisplacedValue, check_names, read_bonus_rules
from hits.families import bonus_presets

TEMPLATE = "admin/hits/bonus_table/table.html"
NOT_SAVED = "The table was changed on this page, and is not saved yet."


class TableEditor:
    """A table on its page: as saved, as sent to be saved, or as changed by one of its buttons."""

    def __init__(
        self, draft: TableDraft, *, prefix: str, data: Mapping[str, Any], is_sent: bool, currency: str = ""
    ) -> None:
        self.draft, self.prefix, self.data = draft, prefix, data
        # That of the form around the table, or else what the table's own part of it has sent.
        sent = data.get("currency") or data.get(f"{prefix}-currency")
        self.currency = str(sent or currency or Currency.USD)
        # A button was pressed that changes the table, or asks for the example: nothing is to be saved.
        self.is_pressed = bool(data.get(f"{prefix}-press"))
        self.is_complete = not is_sent or f"{prefix}-rules" in data
        self.rules = self._forms(is_sent=is_sent and not self.is_pressed)

    @property
    def table(self) -> list[dict[str, Any]]:
        """The rows to save. Raises ValidationError once what is wrong stands beside its field."""
        if self.is_pressed:
            raise ValidationError(NOT_SAVED, code="pressed")
        if not self.is_complete:
            raise ValidationError("The rows of the table did not arrive. Load the page again.")
        if not self.is_valid():
            raise ValidationError("Correct the rules that are marked below.", code="rules")
        return [rule.as_rule() for rule in self.rules]

    def is_valid(self) -> bool:
        if not all([rule.is_valid() for rule in self.rules]):  # noqa: C419 -- each marks its own fields
            return False
        rows = [rule.as_rule() for rule in self.rules]
        try:
            check_names(read_bonus_rules(rows), known=families.known_measures())
        except MisplacedValue as error:
            self._mark(error)
            return False
        return True

    def readable(self) -> list[BonusRule]:
        """Return the rules that can be read as they stand, for the example."""
        found = []
        for rule in self._forms(is_sent=True):
            if rule.is_valid():
                try:
                    found += read_bonus_rules([rule.as_rule()])
                except ValueError:
                    continue
        return found

    def context(self) -> dict[str, Any]:
        if self.rules and self.rules[0].is_bound:
            self.is_valid()
        rules = self.readable()
        return {
            "currency": self.currency,
            "prefix": self.prefix,
            "rules": self.rules,
            "kinds": [(kind, form.title) for kind, form in KINDS.items()],
            "presets": bonus_presets.registered().values(),
            "kind": self.data.get(f"{self.prefix}-kind"),
            "preset": self.data.get(f"{self.prefix}-preset"),
            "is_full": len(self.rules) >= MOST_ROWS,
            "is_pressed": self.is_pressed,
            "focus": f"{self.prefix}-{self.draft.focus}",
            "address": f"{reverse('admin:hits_study_bonus_table')}?field={self.prefix}",
            "example": TableExample(
                rules,
                data=self.data,
                prefix=f"{self.prefix}-example",
                is_partial=len(rules) < len(self.rules),
                currency=self.currency,
            ),
        }

    def _forms(self, *, is_sent: bool) -> list[RuleForm]:
        found = [
            KINDS[rule.kind](rule, prefix=f"{self.prefix}-{number}", is_sent=is_sent)
            for number, rule in enumerate(self.draft.rules)
        ]
        for form in found:
            form.say_currency(self.currency)
        return found

    def _mark(self, error: MisplacedValue) -> None:
        rule = self.rules[error.rule - 1]
        form = rule.tiers[error.tier - 1] if error.tier else rule
        form.add_error(error.field if error.field in form.fields else None, str(error))


def read_editor(data: Mapping[str, Any], *, prefix: str) -> TableEditor:
    """Read a table that a page sent, after what its buttons do."""
    draft = read_draft(data, prefix=prefix)
    button = str(data.get(f"{prefix}-press", ""))
    preset = bonus_presets.registered().get(str(data.get(f"{prefix}-preset", "")))
    if button == "add":
        draft.add_kind(str(data.get(f"{prefix}-kind", "")))
    elif button == "preset" and preset:
        draft.add(preset.rules)
    elif button:
        draft.press(button)
    return TableEditor(draft, prefix=prefix, data=data, is_sent=True)


def show_editor(
    table: Sequence[Mapping[str, Any]], *, prefix: str, currency: str = Currency.USD
) -> TableEditor:
    return TableEditor(draft_of_table(table), prefix=prefix, data={}, is_sent=False, currency=currency)


class BonusTableWidget(forms.Widget):
    use_fieldset = True
    # That of the study, which the form around the table says.
    currency: str = Currency.USD

    class Media:
        js = (forms.Script("hits/bonus_table.js", type="module"),)

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> TableEditor:
        return read_editor(data, prefix=name)

    def value_omitted_from_data(self, data: Mapping[str, Any], files: Any, name: str) -> bool:
        return f"{name}-rules" not in data

    def id_for_label(self, id_: str) -> str:
        return ""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        editor = (
            value
            if isinstance(value, TableEditor)
            else show_editor(value or [], prefix=name, currency=self.currency)
        )
        return render_to_string(TEMPLATE, editor.context())


class BonusTableField(forms.Field):
    """A form field whose value is a bonus table, as a study and the REST API have it."""

    widget = BonusTableWidget

    def clean(self, value: TableEditor) -> list[dict[str, Any]]:
        return value.table

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return read_bonus_rules(initial or []) != read_bonus_rules(data.table)
        except ValueError:
            return True
        except ValidationError:
            return True


def is_editing(form: forms.BaseForm) -> bool:
    """Whether a button of a table sent the form: then it is to be shown again, and not to be saved."""
    tables = [bound for bound in form if isinstance(bound.field, BonusTableField)]
    return form.is_bound and any(bound.data.is_pressed for bound in tables)
