"""Reading the fields of a call to the control API: every field is checked, and unknown ones are refused."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from crowd.marketplace.parameter_validation import UNSTORABLE

LONGEST_TEXT = 200


class Wrong(Exception):
    """A fault in a call to the control API; the message tells the caller what to correct."""

    def __init__(self, words: str, *, status: int = 400) -> None:
        super().__init__(words)
        self.status = status


@dataclass(frozen=True, kw_only=True)
class Fields:
    values: Mapping[str, Any]
    _read: set[str] = field(default_factory=set)

    def has(self, name: str) -> bool:
        return self._take(name) is not None

    def text(self, name: str, *, default: str | None = None, longest: int = LONGEST_TEXT) -> str:
        value = self._take(name, default)
        if not isinstance(value, str) or len(value) > longest or UNSTORABLE.search(value):
            raise Wrong(f"{name} must be text of at most {longest} characters.")
        return value

    def choice(self, name: str, *, among: Collection[str], default: str | None = None) -> str:
        value = self.text(name, default=default)
        if value not in among:
            raise Wrong(f"{name} must be one of {', '.join(sorted(among))}; it is {value!r}.")
        return value

    def flag(self, name: str) -> bool:
        value = self._take(name, default=False)
        if not isinstance(value, bool):
            raise Wrong(f"{name} must be true or false.")
        return value

    def whole(self, name: str, *, default: int, low: int, high: int) -> int:
        value = self._take(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise Wrong(f"{name} must be a whole number from {low} to {high}.")
        return value

    def number(self, name: str, *, default: float, low: float, high: float) -> float:
        value = self._take(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise Wrong(f"{name} must be a number from {low} to {high}.")
        return float(value)

    def money(self, name: str, *, default: Decimal, most: Decimal) -> Decimal:
        """Read dollars as text, so that no cent is lost on the way."""
        try:
            value = Decimal(self.text(name, default=str(default), longest=20))
            amount = value.quantize(Decimal("0.01"))
        except InvalidOperation:
            raise Wrong(f'{name} must be dollars as text, such as "12.50".') from None
        if value != amount or not 0 <= amount <= most:
            raise Wrong(f"{name} must be whole cents, from 0 to {most} dollars.")
        return amount

    def texts(self, name: str) -> dict[str, str]:
        """Read an object whose values are all text."""
        value = self._take(name)
        if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
            raise Wrong(f"{name} must be an object whose values are text.")
        return value

    def finish(self) -> None:
        """Refuse unknown fields; called last. A misspelled name must not leave its default in force."""
        if unknown := sorted(set(self.values) - self._read):
            raise Wrong(f"There is no {', '.join(unknown)} here. Known: {', '.join(sorted(self._read))}.")

    def _take(self, name: str, default: Any = None) -> Any:
        self._read.add(name)
        value = self.values.get(name)
        return default if value is None else value
