"""Fields in which a figure of a paper may be changed, by what sort of value it is."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from hits.batches.domain import read_places
from hits.core.domain.typed_text import is_whole

LARGEST = 100_000


class NumbersField(forms.CharField):
    """Whole numbers from 1 to `most`, with commas between them."""

    def __init__(self, *, most: int = LARGEST, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.most = most

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> Any:
        parts = str(value or "").replace(",", " ").split()
        if not all(is_whole(part, most=self.most) for part in parts):
            raise ValidationError(f"Whole numbers from 1 to {self.most}, with commas between them.")
        return sorted({int(part) for part in parts})


class PlacesField(forms.CharField):
    """Codes of countries with commas between them."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list | tuple) else value

    def to_python(self, value: Any) -> Any:
        try:
            return read_places(str(value or ""))
        except ValueError as error:
            raise ValidationError(str(error)) from error


def percent_field() -> forms.Field:
    return forms.IntegerField(min_value=0, max_value=100)


def count_field(*, most: int = LARGEST, least: int = 1, required: bool = True) -> forms.Field:
    return forms.IntegerField(min_value=least, max_value=most, required=required)


def dollars_field(*, most: str = "9999.99", least: str = "0.01") -> forms.Field:
    return forms.DecimalField(
        min_value=Decimal(least), max_value=Decimal(most), max_digits=6, decimal_places=2
    )


def in_percent(value: Any) -> str:
    return f"{value} %"


def in_list(values: Sequence[Any]) -> str:
    return ", ".join(map(str, values))
