"""Writes of single rows whose SQL is written once in each process, for those that nearly every step makes.

The ORM takes longer to write such a statement than the database to carry it out. No signals are sent.
"""

from functools import cache
from typing import Any

from django.db import DatabaseError, connections, router
from django.db.models import Field, Model

Fields = tuple["Field[Any, Any]", ...]


def insert(*rows: Model, unless_there: bool = False) -> bool:
    """Insert new rows of one model in one statement, and set their keys.

    With `unless_there` a row that breaks a unique constraint is left out. Return False if one was.
    """
    model = type(rows[0])
    using = router.db_for_write(model)
    connection = connections[using]
    sql, fields = _insertion(model, using, len(rows), unless_there)
    values = [
        field.get_db_prep_save(field.pre_save(row, True), connection) for row in rows for field in fields
    ]
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        keys = [key for (key,) in cursor.fetchall()]
    if len(keys) < len(rows):
        return False
    for row, key in zip(rows, keys, strict=True):
        row.pk = key
        row._state.adding, row._state.db = False, using  # noqa: SLF001 - as `save` does
    return True


def update(row: Model, *names: str) -> None:
    """Write these fields of a row, as `save(update_fields=...)` does. Raises DatabaseError if it is gone."""
    model = type(row)
    using = router.db_for_write(model)
    connection = connections[using]
    sql, fields = _update(model, using, names)
    values = [field.get_db_prep_save(field.pre_save(row, False), connection) for field in fields]
    with connection.cursor() as cursor:
        cursor.execute(sql, [*values, row.pk])
        if not cursor.rowcount:
            raise DatabaseError(f"{model.__name__} {row.pk} is gone.")


@cache
def _insertion(model: type[Model], using: str, rows: int, unless_there: bool) -> tuple[str, Fields]:
    quote = connections[using].ops.quote_name
    key = model._meta.pk
    fields = tuple(field for field in model._meta.local_concrete_fields if field is not key)
    columns = ", ".join(quote(str(field.column)) for field in fields)
    values = ", ".join([f"({', '.join(['%s'] * len(fields))})"] * rows)
    otherwise = " ON CONFLICT DO NOTHING" if unless_there else ""
    table = quote(model._meta.db_table)
    returned = quote(str(key.column))
    sql = f"INSERT INTO {table} ({columns}) VALUES {values}{otherwise} RETURNING {returned}"  # noqa: S608
    return sql, fields


@cache
def _update(model: type[Model], using: str, names: tuple[str, ...]) -> tuple[str, Fields]:
    quote = connections[using].ops.quote_name
    by_name = {field.name: field for field in model._meta.concrete_fields}
    fields = tuple(by_name[name] for name in names)
    new = ", ".join(f"{quote(str(field.column))} = %s" for field in fields)
    key = quote(str(model._meta.pk.column))
    return f"UPDATE {quote(model._meta.db_table)} SET {new} WHERE {key} = %s", fields  # noqa: S608
