"""Columns that every list shows in one form: money, numbers, states and progress.

The names of numbers begin with `number_`, by which the stylesheet aligns them, head and cells.
"""

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.utils.html import format_html
from django.utils.safestring import SafeString

from hits.common.dollars import in_dollars

Column = Callable[[Any], Any]


def number_column(name: str, description: str = "", *, of: Column | None = None) -> Column:
    """Make a column of numbers: of the rows' attribute, or of what `of` reads from a row."""

    @admin.display(description=description or name.replace("_", " "), ordering=name, empty_value="–")
    def shown(row: Model) -> Any:
        return of(row) if of else getattr(row, name)

    shown.__name__ = f"number_{name}"
    return shown


def money_column(name: str, description: str = "") -> Column:
    """Make a column of money, which sorts by its exact value."""

    def amount(row: Model) -> str | None:
        value = getattr(row, name)
        return None if value is None else in_dollars(value)

    return number_column(name, description, of=amount)


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


def progress_bar(
    done: Any, total: Any, *, label: str, show: Callable[[Any], object] = lambda value: value
) -> SafeString:
    """Show how far something is, in words and as a bar; the label tells the bar from others of its page."""
    bar = '<span class="progress">{} of {}<progress max="{}" value="{}" aria-label="{}"></progress></span>'
    return format_html(bar, show(done), show(total), total or 1, done, label)
