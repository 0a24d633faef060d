"""Columns that every list shows in one form: money, numbers, states and progress.

The names of numbers begin with `number_`, by which the stylesheet aligns them, head and cells.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.utils.html import format_html
from django.utils.safestring import SafeString

from hits.common.currencies import in_money

Column = Callable[[Any], Any]


@dataclass(frozen=True, kw_only=True)
class PlainColumn:
    """What a list's file has in place of a column that shows words."""

    name: str
    of: Column


def number_column(name: str, description: str = "", *, of: Column | None = None, in_file: str = "") -> Column:
    """Make a column of numbers: of the rows' attribute, or of what `of` reads from a row.

    Where `of` makes words of it, `in_file` names the column of the list's file, which has the attribute.
    """

    @admin.display(description=description or name.replace("_", " "), ordering=name, empty_value="–")
    def shown(row: Model) -> Any:
        return of(row) if of else getattr(row, name)

    shown.__name__ = f"number_{name}"
    return plain_in_file(in_file, of=attrgetter(name))(shown) if in_file else shown


def plain_in_file(name: str, *, of: Column) -> Callable[[Any], Any]:
    """Give a column that shows words a plain name, and what `of` reads from a row, in the list's file."""

    def mark(shown: Any) -> Any:
        shown.in_file = PlainColumn(name=name, of=of)
        return shown

    return mark


def money_column(name: str, description: str = "", *, currency: str = "currency") -> Column:
    """Make a column of money, which sorts by its exact value. `currency`: where a row has it."""
    currency_of = attrgetter(currency)

    def amount(row: Model) -> str | None:
        value = getattr(row, name)
        return None if value is None else in_money(value, currency_of(row))

    shown: Any = number_column(name, description, of=amount)
    shown.currency_of = currency_of
    return shown  # type: ignore[no-any-return]


def state_column(
    name: str = "status",
    *,
    good: Iterable[str] = (),
    bad: Iterable[str] = (),
    warn: Iterable[str] = (),
) -> Column:
    """Make a column of a field with choices: each a word in a tag, and a color for those that are named."""
    tones = {**dict.fromkeys(good, "good"), **dict.fromkeys(bad, "bad"), **dict.fromkeys(warn, "warn")}

    @admin.display(description=name, ordering=name)
    def shown(row: Model) -> SafeString:
        words = getattr(row, f"get_{name}_display")()
        return state_tag(words, tones.get(getattr(row, name), ""))

    shown.__name__ = name
    return shown


def state_tag(words: str, tone: str = "") -> SafeString:
    return format_html('<span class="tag {}">{}</span>', tone, words)


def two_lines(above: object, below: object) -> SafeString:
    """A cell with the second line in small letters, where there is one."""
    return format_html('{} <span class="help">{}</span>', above, below) if below else format_html("{}", above)


def progress_bar(
    done: Any, total: Any, *, label: str, show: Callable[[Any], object] = lambda value: value
) -> SafeString:
    """Show how far something is, in words and as a bar; the label tells the bar from others of its page."""
    bar = '<span class="progress">{} of {}<progress max="{}" value="{}" aria-label="{}"></progress></span>'
    return format_html(bar, show(done), show(total), total or 1, done, label)
