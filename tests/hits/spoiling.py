"""Rows whose key is lost."""

from typing import Any

from django.db import connection

from hits.providers.models.accounts import Account
from tests.factories import make_account


def spoil(row: Any, column: str) -> None:
    """As if it had been sealed with a key that is gone."""
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {row._meta.db_table} SET {column} = 'rubbish' WHERE id = %s", [row.pk])  # noqa: S608


def lost_account() -> Account:
    account = make_account()
    spoil(account, "secret_access_key")
    return account
