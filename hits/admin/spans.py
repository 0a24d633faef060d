"""Durations as people write them: a number and a unit. The rows keep seconds."""

from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

UNITS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86_400}


def largest_unit(seconds: int) -> tuple[int, str]:
    """The number in the largest unit without a fraction: 5400 is 90 minutes."""
    fitting = [(seconds // size, unit) for unit, size in UNITS.items() if seconds and seconds % size == 0]
    return fitting[-1] if fitting else (seconds, "seconds")


class SpanWidget(forms.MultiWidget):
    use_fieldset = True

    def __init__(self) -> None:
        super().__init__(
            widgets={
                "amount": forms.NumberInput(attrs={"min": "0", "step": "any", "aria-label": "How many"}),
                "unit": forms.Select(
                    choices=[(unit, unit) for unit in UNITS], attrs={"aria-label": "Unit of time"}
                ),
            }
        )

    def decompress(self, value: Any) -> list[Any]:
        return [None, "minutes"] if value is None else list(largest_unit(int(value)))


class SpanField(forms.MultiValueField):
    """A field for seconds between two bounds."""

    widget = SpanWidget

    def __init__(self, *, least: int, most: int, **kwargs: Any) -> None:
        self.least, self.most = least, most
        super().__init__(
            fields=(
                forms.DecimalField(min_value=0, max_digits=9, decimal_places=2),
                forms.ChoiceField(choices=[(unit, unit) for unit in UNITS]),
            ),
            **kwargs,
        )

    def compress(self, data_list: list[Any]) -> int | None:
        if not data_list:
            return None
        amount, unit = data_list
        seconds = int(Decimal(amount) * UNITS[unit])
        if not self.least <= seconds <= self.most:
            raise ValidationError(f"Give a time from {_words(self.least)} to {_words(self.most)}.")
        return seconds


def _words(seconds: int) -> str:
    amount, unit = largest_unit(seconds)
    return f"{amount} {unit if amount != 1 else unit.removesuffix('s')}"
