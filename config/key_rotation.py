"""Rotation of keys: a new first key, and every sealed value under it.

Two kinds are not touched: keys of pseudonyms, since exports would no longer be joined by them, and whatever
is only signed, which ends by itself.
"""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.apps import apps
from django.conf import settings
from django.db import connections, router, transaction

from config.environment import FERNET_KEYS, make_keys
from hits.core.models.fields import EncryptedTextField

LAST = 2**62
LOT = 200  # values sealed anew in one transaction
KEPT = "CROWD_PSEUDONYM_KEYS"
SEALED = "_sealed"  # how columns of the marketplace end
Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class SealedColumn:
    """A column whose values are sealed, in its database, with the setting that holds the keys."""

    model: Any
    name: str
    alias: str
    setting: str

    def __str__(self) -> str:
        return f"{self.model._meta.db_table}.{self.name}"

    @property
    def keys(self) -> Sequence[str]:
        keys: Sequence[str] = getattr(settings, self.setting.removeprefix("CROWD_"))
        return keys

    def values(self, *, after: int = 0, backwards: bool = False) -> Iterator[list[tuple[int, str]]]:
        """Yield lots of rows' numbers and raw values, in the order of the numbers."""
        side, order = ("<", "DESC") if backwards else (">", "ASC")
        last = LAST if backwards else after
        table, pk, column = self._quoted()
        where = f"WHERE {pk} {side} %s ORDER BY {pk} {order} LIMIT {LOT}"
        while rows := self._fetch(f"SELECT {pk}, {column} FROM {table} {where}", [last]):  # noqa: S608
            yield [(number, value) for number, value in rows if value]
            last = rows[-1][0]

    def replace(self, number: int, old: str, new: str) -> None:
        """Compare and swap: a value that somebody wrote meanwhile is theirs."""
        table, pk, column = self._quoted()
        sql = f"UPDATE {table} SET {column} = %s WHERE {pk} = %s AND {column} = %s"  # noqa: S608
        with connections[self.alias].cursor() as cursor:
            cursor.execute(sql, [new, number, old])

    def _fetch(self, sql: str, values: list[Any]) -> list[tuple[int, str]]:
        with connections[self.alias].cursor() as cursor:
            cursor.execute(sql, values)
            return list(cursor.fetchall())

    def _quoted(self) -> list[str]:
        """Return the names of the table, its key and the column, which come from the models alone."""
        meta = self.model._meta
        quote = connections[self.alias].ops.quote_name
        return [quote(name) for name in (meta.db_table, meta.pk.column, self.name)]


def sealed_columns() -> list[SealedColumn]:
    """Return every sealed column of the databases that are here."""
    return [
        SealedColumn(
            model=model, name=str(field.column), alias=router.db_for_write(model) or "", setting=setting
        )
        for model in apps.get_models()
        for field in model._meta.local_concrete_fields
        if (setting := _setting_of(field))
    ]


def _setting_of(field: Any) -> str:
    if isinstance(field, EncryptedTextField):
        return "CROWD_FIELD_KEYS"
    is_sealed = field.model._meta.app_label == "marketplace" and field.name.endswith(SEALED)
    return "CROWD_MARKETPLACE_KEYS" if is_sealed else ""


def seal_anew(column: SealedColumn) -> int:
    """Seal what is under an older key with the first one; return how many. It may be killed and run again."""
    first, all_keys = Fernet(column.keys[0]), MultiFernet([Fernet(key) for key in column.keys])
    sealed = 0
    for lot in column.values():
        old = [(number, value) for number, value in lot if not is_under(first, value)]
        with transaction.atomic(using=column.alias):
            for number, value in old:
                try:
                    column.replace(number, value, all_keys.rotate(value.encode()).decode())
                except InvalidToken:
                    continue  # no key of today opens it; count_old tells
                sealed += 1
    return sealed


def count_old(column: SealedColumn, *, most: int | None = None) -> int:
    """Count values that are not under the first key, of the newest `most` rows or of all."""
    first, old, seen = Fernet(column.keys[0]), 0, 0
    for lot in column.values(backwards=True):
        old += sum(not is_under(first, value) for _, value in lot)
        seen += LOT
        if most is not None and seen >= most:
            break
    return old


def is_under(key: Fernet, value: str) -> bool:
    """Whether this key made the value: its signature says so, without opening it."""
    try:
        key.extract_timestamp(value.encode())
    except InvalidToken:
        return False
    return True


def new_first_keys(current: dict[str, list[str]]) -> dict[str, list[str]]:
    """Put a new key before each list, but for the pseudonyms': these never change."""
    fresh = make_keys()
    return {name: keys if name == KEPT else [*fresh[name], *keys] for name, keys in current.items()}


def without_old(current: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: keys if name == KEPT else keys[:1] for name, keys in current.items()}


def read_kept(path: Path) -> dict[str, list[str]]:
    keys: dict[str, list[str]] = json.loads(path.read_text())
    return keys


def write_kept(path: Path, keys: dict[str, list[str]]) -> None:
    """Replace the file in one step: whoever reads it finds the old keys or the new ones, and never half."""
    draft = path.with_suffix(f".{os.getpid()}")
    draft.touch(mode=0o600)
    with draft.open("w") as file:
        json.dump(keys, file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def keys_of_settings() -> dict[str, list[str]]:
    """Return the keys that this process reads with."""
    return {
        "CROWD_SECRET_KEY": [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS],
        "CROWD_FIELD_KEYS": list(settings.FIELD_KEYS),
        KEPT: list(settings.PSEUDONYM_KEYS),
        "CROWD_TOKEN_KEYS": list(settings.TOKEN_KEYS),
        "CROWD_MARKETPLACE_KEYS": list(settings.MARKETPLACE_KEYS),
    }


def has_old_keys() -> bool:
    return any(len(keys_of_settings()[name]) > 1 for name in FERNET_KEYS)
