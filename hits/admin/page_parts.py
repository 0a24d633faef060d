import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeVar

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import DecimalField, Model, QuerySet
from django.forms.fields import InvalidJSONInput
from django.http import HttpRequest
from django.urls import reverse
from django.utils.timesince import timesince

from hits.admin.list_columns import money_column
from hits.core.domain.counted_nouns import plural
from hits.studies.models import Batch
from hits.work.access import studies_of

MINUTE_S = 60
EPOCH = datetime(2001, 1, 1, tzinfo=UTC)  # no leap year
# The null character as JSON writes it: after an even number of backslashes.
NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
TOO_LARGE = re.compile(r"\d{19}", re.ASCII)
# The days that an address may name: outside them, some time zone cannot be computed.
FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(9000, 1, 1)
Row = TypeVar("Row", bound=Model)


def in_words(seconds: int) -> str:
    """A duration in its one or two largest units: "15 minutes", "1 week, 2 days"."""
    if seconds < MINUTE_S:
        return plural(seconds, "second")
    return timesince(EPOCH, EPOCH + timedelta(seconds=seconds))


def read_number(text: str) -> int | None:
    """The number in an address if it could be a row's key, or None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def batch_trail(batch: Batch) -> list[tuple[str, str]]:
    """The breadcrumbs above the pages of a launched batch."""
    batches, live = reverse("admin:hits_batch_changelist"), reverse("admin:hits_batch_live", args=[batch.pk])
    return [("Batches", batches), (batch.title, live)]


def events_page(events: "QuerySet[Any]", *, before: str, most: int) -> dict[str, Any]:
    """A page of events, newest first, by the events' own order: they are never all counted."""
    number = read_number(before)
    rows = events.order_by("-pk")
    found = list((rows if number is None else rows.filter(pk__lt=number))[: most + 1])
    return {
        "events": found[:most],
        "older": found[most - 1].pk if len(found) > most else None,
        "is_older": number is not None,
    }


class JsonField(forms.JSONField):
    """A JSON field that refuses in words what no database keeps; the box keeps what was typed."""

    def to_python(self, value: Any) -> Any:
        try:
            found = super().to_python(value)
            text = json.dumps(found, ensure_ascii=False, allow_nan=False)
            text.encode()
        except (RecursionError, ValueError) as error:
            raise self._refusal(value) from error
        if NUL.search(text):
            raise self._refusal(value)
        return found

    def bound_data(self, data: Any, initial: Any) -> Any:
        try:
            self.to_python(data)
        except ValidationError:
            return InvalidJSONInput(data)
        return super().bound_data(data, initial)

    def _refusal(self, value: Any) -> ValidationError:
        return ValidationError(self.error_messages["invalid"], code="invalid", params={"value": value})


def clean_list(form: forms.ModelForm[Any], name: str) -> list[Any]:
    """A list from a JSON field. An empty box means an empty list; null would not fit the column."""
    value: list[Any] = form.cleaned_data[name] or []
    return value


class VisibleStudies(admin.RelatedFieldListFilter):
    """A filter that offers only the studies that this user may see."""

    def field_choices(
        self, field: Any, request: HttpRequest, model_admin: admin.ModelAdmin[Any]
    ) -> list[Any]:
        return once(
            request,
            "studies",
            lambda: [(str(one.pk), str(one)) for one in studies_of(request.user).order_by("name")],
        )


def once(request: HttpRequest, name: str, load: Callable[[], list[Any]]) -> list[Any]:
    """Load a filter's choices once for each request: Django asks for them again for every other filter."""
    kept: dict[str, list[Any]] = request.__dict__.setdefault("_choices_of_filters", {})
    if name not in kept:
        kept[name] = load()
    return kept[name]


class ReadOnlyAdmin(admin.ModelAdmin[Row]):
    """The admin of rows that only services write. `currency_path`: where a row has that of its amounts."""

    currency_path = "currency"

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """Refuse a number that no row can have: the database would fail on it."""
        if TOO_LARGE.search(str(value)):
            return False
        return super().lookup_allowed(lookup, value, request)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Show money as money, and name related rows without a link where this user may not open them."""
        return [
            (title, {**options, "fields": [self._shown(request, name) for name in options["fields"]]})
            for title, options in super().get_fieldsets(request, obj)
        ]

    def _shown(self, request: HttpRequest, name: Any) -> Any:
        field = next((one for one in self.opts.concrete_fields if one.name == name), None)
        if isinstance(field, DecimalField):
            return money_column(name, str(field.verbose_name), currency=self.currency_path)
        model = field.related_model if field else None
        if not isinstance(model, type) or not self.admin_site.is_registered(model):
            return name
        if self.admin_site.get_model_admin(model).has_view_permission(request):
            return name

        @admin.display(description=field.verbose_name if field else "")
        def in_words_alone(row: Row) -> Any:
            return getattr(row, name)

        return in_words_alone

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
