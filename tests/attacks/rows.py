"""A row in every table of both databases, so that a new table is attacked as well."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from itertools import count
from typing import Any

from django.apps import apps
from django.db import IntegrityError, models, transaction
from django.utils import timezone

_numbers = count(1)
Model = type[models.Model]
# Values that a table's rules need beyond the columns' types. A table's label stands for a row of it.
GIVEN: dict[str, dict[str, Any]] = {
    "benchmarks.Benchmark": {"task": "associations"},
    "benchmarks.Training": {"recipe": "classifier"},
    "hits.Alert": {"user_id": "hits.User"},
    "releases.Release": {"family": "winogavil"},
    "marketplace.NotificationSetting": {"topic_id": "marketplace.Topic"},
    "pictures.Request": {"member": "owl.png"},
    "scoring.Vector": {"problem": "Odd."},
    "whoops.ImageEdit": {"before": "It is odd.", "after": "It could not be."},
    "whoops.Review": {"note": "It could hurt."},
    "winogavil_annotation.Annotation": {"kind": "baseline"},
}
# A date and time is a date as well.
VALUES: dict[type[models.Field[Any, Any]], Callable[[int], Any]] = {
    models.DurationField: lambda number: timedelta(seconds=number),
    models.DateTimeField: lambda number: timezone.now() + timedelta(milliseconds=number),
    models.DateField: lambda _number: timezone.now().date(),
    models.DecimalField: lambda _number: Decimal(1),
    models.BinaryField: lambda _number: b"\0",
    models.JSONField: lambda _number: {},
}


def fill_empty_tables() -> list[str]:
    """Labels of the tables for which no row could be made: they have rules beyond their columns' types."""
    return [model._meta.label for model in tables() if make_row(model) is None]


def tables() -> Iterator[Model]:
    yield from apps.get_models()


def make_row(model: Model) -> models.Model | None:
    """The newest row of a table, or one made of the columns' types alone. None if the table refuses it."""
    known = model._default_manager.order_by("-pk").first()
    if known is not None:
        return known
    row = model(**{**dict(_values(model)), **dict(_given(model))})
    try:
        with transaction.atomic(using=database_of(model)):
            row.save(force_insert=True)
    except IntegrityError:
        return None
    return row


def _given(model: Model) -> Iterator[tuple[str, Any]]:
    for name, value in GIVEN.get(model._meta.label, {}).items():
        row = make_row(apps.get_model(value)) if name.endswith("_id") else None
        yield name, row.pk if row else value


def database_of(model: Model) -> str:
    return "marketplace" if model._meta.app_label == "marketplace" else "default"


def _values(model: Model) -> Iterator[tuple[str, Any]]:
    for field in model._meta.concrete_fields:
        if isinstance(field, models.ForeignKey) and not field.null:
            yield field.name, make_row(field.related_model)
        elif not (field.has_default() or field.null or field.blank or isinstance(field, models.AutoField)):
            yield field.name, _value(field)


def _value(field: Any) -> Any:
    """A value by the column's type. Later columns of a table get later moments."""
    number = next(_numbers)
    if field.choices:
        return field.choices[0][0]
    if isinstance(field, models.CharField | models.TextField | models.FileField):
        return f"row {number}"[-(field.max_length or 100) :]
    return next((make(number) for kind, make in VALUES.items() if isinstance(field, kind)), 1)
