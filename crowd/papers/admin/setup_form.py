"""The form of a set-up: every figure of a paper in a field of its own, before anything is put in place."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from crowd.papers.parts import Cell, SetupPart, SetupRow, in_reading_order


@dataclass(frozen=True, kw_only=True)
class ShownFigure:
    """A figure with its field, as the page shows it."""

    cell: Cell
    field: forms.BoundField

    @property
    def is_box(self) -> bool:
        return isinstance(self.field.field, forms.BooleanField)


@dataclass(frozen=True, kw_only=True)
class ShownPart:
    part: SetupPart
    note: str
    rows: Sequence[tuple[SetupRow, Sequence[ShownFigure]]]


class SetupForm(forms.Form):
    def __init__(self, *args: Any, parts: Sequence[SetupPart], **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", "auto_id": "figure-%s", **kwargs})
        self._parts = [(part, part.rows()) for part in in_reading_order(parts)]
        for _, rows in self._parts:
            for row in rows:
                for cell in row.cells:
                    self.fields[cell.key] = _field_of(cell, row=row)

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if self.errors:
            return values
        for part, _ in self._parts:
            try:
                part.check(values)
            except ValidationError as error:
                self.add_error(None, [f"{part.title}: {words}" for words in error.messages])
        return values

    def shown(self) -> Iterator[ShownPart]:
        """Yield the parts of which the paper states something."""
        for part, rows in self._parts:
            if rows:
                yield ShownPart(
                    part=part, note=part.note(), rows=[(row, self._figures_of(row)) for row in rows]
                )

    def _figures_of(self, row: SetupRow) -> list[ShownFigure]:
        return [ShownFigure(cell=cell, field=self[cell.key]) for cell in row.cells]

    @property
    def differences(self) -> int:
        return sum(row.differs for _, rows in self._parts for row in rows)


def as_offered(form: SetupForm, figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page of this form would send, with these figures in place of what is offered."""
    values = {name: figures.get(name, field.initial) for name, field in form.fields.items()}
    return {
        name: form.fields[name].prepare_value(value) for name, value in values.items() if value is not None
    }


def _field_of(cell: Cell, *, row: SetupRow) -> forms.Field:
    field = cell.field
    field.label = cell.label
    field.initial = cell.now if cell.kept else cell.offered
    field.disabled = bool(cell.kept)
    if cell.kept:
        field.required = False
    field.widget.attrs["aria-label"] = cell.label if cell.label == row.name else f"{row.name}: {cell.label}"
    return field
