"""The marketplace's own database: transactions name it, and the router keeps it apart from the other one."""

from contextlib import AbstractContextManager
from typing import Any

from django.db import transaction
from django.db.models import Model

ALIAS = "marketplace"
APP_LABEL = "marketplace"


def atomic() -> AbstractContextManager[None]:
    return transaction.atomic(using=ALIAS)


class Router:
    def db_for_read(self, model: type[Model], **hints: Any) -> str | None:
        return ALIAS if model._meta.app_label == APP_LABEL else None

    db_for_write = db_for_read

    def allow_relation(self, left: Model, right: Model, **hints: Any) -> bool:
        return (left._meta.app_label == APP_LABEL) == (right._meta.app_label == APP_LABEL)

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return (db == ALIAS) == (app_label == APP_LABEL)
