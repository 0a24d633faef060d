"""Rows that cannot be unsealed because their key is lost."""

from typing import Any

from django.db import connection

from hits.providers.models.accounts import Account
from tests.factories import make_account


def spoil(row: Any, column: str) -> None:
    """Make the column unreadable, as if its key were lost."""
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {row._meta.db_table} SET {column} = 'rubbish' WHERE id = %s", [row.pk])  # noqa: S608


def lost_account() -> Account:
    account = make_account()
    spoil(account, "secret_access_key")
    return account
