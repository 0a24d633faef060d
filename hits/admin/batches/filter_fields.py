"""Fields in which a provider's filters are chosen. What no field can say stays as it was typed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django import forms

from hits.core.domain.requirements import CHOSEN, FILTER, RANGE
from hits.providers.gateway.interface import OfferedFilter

# The button that shows the fields of one more filter, and the choice of it.
SHOW, ANOTHER = "show_filter", "another_filter"
SHOWN = "shown_filter"
Row = Mapping[str, Any]


class Ids(forms.CharField):
    """Ids, on lines of their own or separated by commas."""

    widget = forms.Textarea(attrs={"rows": 3, "spellcheck": "false"})

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        return str(value or "").replace(",", " ").split()


class FilterFields:
    """The fields of those filters that are chosen already, or that somebody asked to see."""

    def __init__(self, offered: Iterable[OfferedFilter], *, saved: Sequence[Row], data: Any) -> None:
        known = {one.id: one for one in offered}
        self._rows = {row[FILTER]: row for row in saved if _fits(row, known.get(row.get(FILTER, "")))}
        self.others = [dict(row) for row in saved if self._rows.get(row.get(FILTER)) is not row]
        asked = data.getlist(SHOWN) if data else []
        keys = dict.fromkeys([*self._rows, *asked, *([data[ANOTHER]] if data and SHOW in data else [])])
        self.shown = [known[key] for key in keys if key in known]
        self.hidden = sorted(
            (one for one in known.values() if one not in self.shown), key=lambda one: one.title
        )

    def fields(self) -> Iterator[tuple[str, forms.Field]]:
        for one in self.shown:
            row = self._rows.get(one.id, {})
            if one.is_range:
                low, high = row.get(RANGE, (None, None))
                made = [_number(one, "at least", low), _number(one, "at most", high)]
            else:
                made = [_choice(one, row.get(CHOSEN))]
            yield from zip(self.names(one), made, strict=True)

    def names(self, one: OfferedFilter) -> list[str]:
        parts = ("low", "high") if one.is_range else ("chosen",)
        return [f"filter-{one.id}-{part}" for part in parts]

    def faults(self, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield the names of fields that are wrong together, and why."""
        for one in self.shown:
            match [cleaned.get(name) for name in self.names(one)]:
                case [float(low), float(high)] if low > high:
                    yield self.names(one)[1], "This is less than the other end."

    def read(self, cleaned: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the filters as they are kept. One in which nothing was chosen is not asked for."""
        for one in self.shown:
            match [cleaned.get(name) for name in self.names(one)]:
                case [None, None]:
                    pass
                case [low, high]:
                    ends = (one.low if low is None else low, one.high if high is None else high)
                    yield {FILTER: one.id, RANGE: [_plain(end) for end in ends]}
                case [chosen] if chosen:
                    yield {FILTER: one.id, CHOSEN: list(chosen)}


def _fits(row: Row, one: OfferedFilter | None) -> bool:
    """Whether the filter's fields can show what is kept of it."""
    if one is None or one.is_range != (RANGE in row):
        return False
    return not one.choices or set(row.get(CHOSEN, ())) <= set(one.choices)


def _number(one: OfferedFilter, end: str, value: float | None) -> forms.Field:
    bounds: dict[str, Any] = {"min_value": one.low, "max_value": one.high}
    return forms.FloatField(label=f"{one.title}, {end}", required=False, initial=value, **bounds)


def _choice(one: OfferedFilter, chosen: Any) -> forms.Field:
    if not one.choices:
        return Ids(label=one.title, required=False, initial=chosen, help_text="Ids, one on each line.")
    choices = list(one.choices.items())
    widget = forms.CheckboxSelectMultiple
    return forms.MultipleChoiceField(
        label=one.title, required=False, initial=chosen, choices=choices, widget=widget
    )


def _plain(number: float | None) -> float | None:
    """A whole number without a decimal point, as it is typed in the list."""
    return int(number) if number is not None and number == int(number) else number
