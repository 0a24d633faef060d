"""Every list of the admin as CSV: all rows that are found there, in the list's own columns and order.

A list that shows two things in one column names the columns of its file as `file_columns`.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from html import unescape
from typing import Any

from django.contrib.admin import ModelAdmin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import label_for_field, lookup_field
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import ObjectDoesNotExist
from django.db.models import DateTimeField, Field, Model
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path, resolve, reverse
from django.utils import timezone
from django.utils.html import strip_tags
from django.utils.text import capfirst, slugify

from hits.admin.data.take_files import send_csv
from hits.admin.list_columns import PlainColumn
from hits.admin.selection import signed_in
from hits.common.currencies import SIGNS
from hits.common.spreadsheets import Cell
from hits.core import audit_trail
from hits.datasets.columns import utc_text

# Rows read at a time, by their keys: a list may be in any order, and a slow reader holds no cursor open.
SLICE = 500
TICKS = "action_checkbox"
PICTURE = re.compile(r'<img\b[^>]*\balt="([^"]*)"[^>]*>')
# Between these tags a page shows a gap.
GAP = re.compile(r"<(?:br|/?(?:p|li|ul|ol|div|td|tr|dd|dt|h[1-6]))\b[^>]*>|\s+")
FIGURE = re.compile(r"-?[$£]?(0|[1-9]\d{0,2}(,\d{3})*|[1-9]\d*)(\.\d+)?")
SIGNS_AND_COMMAS = str.maketrans("", "", f"{''.join(SIGNS.values())},")
Lists = ModelAdmin[Any]


def urls(lists: Sequence[Lists]) -> list[URLPattern]:
    """Return the address of each list's file, unless the list has a file of its own."""
    return [_address_of(one) for one in lists if not getattr(one, "has_own_file", False)]


def file_view(lists: Lists, request: HttpRequest) -> HttpResponseBase:
    """Send all rows that the list has found for this user, by its filters and search, in its order."""
    try:
        shown = _shown_list(lists, request)
    except IncorrectLookupParameters:
        shown = None
    if shown is None:
        return redirect(_page_of(lists))
    keys = list(shown.queryset.values_list("pk", flat=True))
    name = str(lists.opts.verbose_name_plural)
    audit_trail.note("file.list", f"{name} as CSV: {len(keys)}.", by=signed_in(request), now=timezone.now())
    columns = getattr(lists, "file_columns", None) or [one for one in shown.list_display if one != TICKS]
    header = [_name_of(one, lists) for one in columns]
    rows = (_cells(row, columns, lists) for row in _rows(shown, keys, lists))
    # Amounts are plain numbers in a file, so that it says what they are amounts of.
    if currency_of := next((found for one in columns if (found := getattr(one, "currency_of", None))), None):
        header.append("Currency")
        rows = ([*_cells(row, columns, lists), currency_of(row)] for row in _rows(shown, keys, lists))
    return send_csv(header, rows, name=f"{slugify(name)}.csv")


def _address_of(lists: Lists) -> URLPattern:
    options = lists.opts
    view = lists.admin_site.admin_view(partial(file_view, lists))
    name = f"{options.app_label}_{options.model_name}_csv"
    return path(f"{options.app_label}/{options.model_name}/csv/", view, name=name)


def _page_of(lists: Lists) -> str:
    return reverse(f"admin:{lists.opts.app_label}_{lists.opts.model_name}_changelist")


def _shown_list(lists: Lists, request: HttpRequest) -> ChangeList | None:
    """Return the list that its own page shows: what is refused and read there is refused and read here."""
    request.resolver_match = resolve(_page_of(lists))
    asked = request.GET.copy()
    asked.pop("p", None)
    request.GET = asked  # type: ignore[assignment]
    page = lists.changelist_view(request)
    shown = (getattr(page, "context_data", None) or {}).get("cl")
    # A page of another form, such as cards, whose rows are a list all the same.
    return lists.get_changelist_instance(request) if shown is None and _is_listed(lists) else shown


def _is_listed(lists: Lists) -> bool:
    return bool(getattr(lists, "is_listed_in_file", False))


def _rows(shown: ChangeList, keys: Sequence[Any], lists: Lists) -> Iterator[Model]:
    fill = getattr(lists, "fill_rows", None)
    for start in range(0, len(keys), SLICE):
        some = keys[start : start + SLICE]
        found = {row.pk: row for row in shown.queryset.filter(pk__in=some)}
        rows = [found[key] for key in dict.fromkeys(some) if key in found]
        if fill:
            fill(rows)
        yield from rows


def _name_of(column: Any, lists: Lists) -> str:
    plain = _plain_column(column, lists)
    return plain.name if plain else capfirst(str(label_for_field(column, lists.model, model_admin=lists)))


def _plain_column(column: Any, lists: Lists) -> PlainColumn | None:
    shown = getattr(lists, column, None) if isinstance(column, str) else column
    return getattr(shown, "in_file", None)


def _cells(row: Model, columns: Sequence[Any], lists: Lists) -> list[Cell]:
    return [_cell(row, one, lists) for one in columns]


def _cell(row: Model, name: Any, lists: Lists) -> Cell:
    if plain := _plain_column(name, lists):
        return plain.of(row)  # type: ignore[no-any-return]
    try:
        field, read, value = lookup_field(name, row, lists)
    except ObjectDoesNotExist:
        return None
    if field is not None:
        return _plain(_of_field(row, field))
    moment = _moment_behind(row, read)
    return moment or _plain(value)


def _of_field(row: Model, field: "Field[Any, Any]") -> Any:
    if field.flatchoices:
        return getattr(row, f"get_{field.name}_display")()
    return getattr(row, field.name)


def _moment_behind(row: Model, read: Any) -> str | None:
    """Return the moment by which a column is sorted: the page may say it in other words."""
    order = str(getattr(read, "admin_order_field", None) or "").removeprefix("-")
    field = next((one for one in row._meta.concrete_fields if one.name == order), None)
    return utc_text(getattr(row, order)) if isinstance(field, DateTimeField) else None


def _plain(value: Any) -> Cell:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or isinstance(value, int | Decimal):
        return value
    if isinstance(value, datetime):
        return utc_text(value)
    words = _words_of(str(value)) if hasattr(value, "__html__") else str(value)
    return _figure_or_words(words)


def _words_of(html: str) -> str:
    """Return what a page shows of a cell, with the words that stand for its pictures."""
    named = PICTURE.sub(lambda found: f" {found[1]} ", html)
    return " ".join(unescape(strip_tags(GAP.sub(" ", named))).split())


def _figure_or_words(text: str) -> Cell:
    """Return a figure as a number: pages write money and thousands for people."""
    return Decimal(text.translate(SIGNS_AND_COMMAS)) if FIGURE.fullmatch(text) else text
