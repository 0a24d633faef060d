from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.timesince import timesince

MINUTE_S = 60
EPOCH = datetime(2001, 1, 1, tzinfo=UTC)  # no leap year
Row = TypeVar("Row", bound=Model)


def in_words(seconds: int) -> str:
    """The one or two largest units: "15 minutes", "1 week, 2 days"."""
    if seconds < MINUTE_S:
        return f"{seconds} seconds"
    return timesince(EPOCH, EPOCH + timedelta(seconds=seconds))


class ReadOnlyAdmin(admin.ModelAdmin[Row]):
    """Rows that only services write."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
