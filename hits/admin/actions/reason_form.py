"""The form of an action that asks only for words: a reason, a title, a finding."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import QueryDict


class OneLine(forms.CharField):
    """A text field that is saved as one line: its box has several lines only to be easy to read."""

    def to_python(self, value: Any) -> Any:
        return " ".join((super().to_python(value) or "").split())


def words_form(
    name: str,
    label: str,
    *,
    longest: int,
    help_text: str = "",
    lines: int = 1,
    missing: str = "",
    is_optional: bool = False,
) -> Callable[[QueryDict | None, Any], forms.Form]:
    """A form with one field of words; `missing` replaces the field's message for an empty value."""
    attrs = {"autocomplete": "off", "class": "vTextField"}
    widget = forms.TextInput(attrs) if lines == 1 else forms.Textarea({"rows": lines})
    messages = {"required": missing} if missing else None

    def form(data: QueryDict | None, _: Any) -> forms.Form:
        made = forms.Form(data, label_suffix="")
        made.fields[name] = OneLine(
            required=not is_optional,
            label=label,
            max_length=longest,
            help_text=help_text,
            widget=widget,
            error_messages=messages,
        )
        return made

    return form
