"""Writes of many rows, each with its own values, in few statements and without model instances."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from django.db import connections, models, router

AT_ONCE = 1000
MOST_PARAMETERS = 900  # in one statement: the least that a database of ours takes is 999


def write_each(
    *,
    model: type[models.Model],
    columns: Sequence[str],
    rows: Mapping[int, Sequence[Any]],
    since: Mapping[str, Collection[Any]] | None = None,
) -> None:
    """Write each row's values, by its key, to these columns; none may be None.

    `since` names the values that a row must have before.
    `bulk_update` makes an expression with a case for each row, which takes several times as long.
    """
    connection = connections[router.db_for_write(model)]
    table, key = (connection.ops.quote_name(name) for name in (model._meta.db_table, "id"))
    new = ", ".join(f"{column} = new.column{place}" for place, column in enumerate(columns, start=2))
    narrowed = "".join(
        f" AND {column} IN ({', '.join(['%s'] * len(values))})" for column, values in (since or {}).items()
    )
    before = [value for values in (since or {}).values() for value in values]
    one = f"({', '.join(['%s'] * (len(columns) + 1))})"
    prepare = [_field_of(model, column).get_db_prep_save for column in columns]
    keys = list(rows)

    def prepared(row: int) -> list[Any]:
        return [write(value, connection) for write, value in zip(prepare, rows[row], strict=True)]

    with connection.cursor() as cursor:
        for start in range(0, len(keys), AT_ONCE):
            some = keys[start : start + AT_ONCE]
            cursor.execute(
                f"UPDATE {table} SET {new} FROM (VALUES {', '.join([one] * len(some))}) AS new "  # noqa: S608
                f"WHERE {key} = new.column1{narrowed}",
                [*(value for row in some for value in (row, *prepared(row))), *before],
            )


def insert_rows(model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of texts, numbers and booleans, which every database takes as they are.

    Fields that are not named stay NULL, or are refused: their defaults are the model's, not the database's.
    """
    connection = connections[router.db_for_write(model)]
    quote = connection.ops.quote_name
    column_of = {field.name: str(field.column) for field in model._meta.concrete_fields}
    columns = ", ".join(quote(column_of[name]) for name in names)
    one = f"({', '.join(['%s'] * len(names))})"
    waiting = iter(rows)
    with connection.cursor() as cursor:
        while some := list(islice(waiting, MOST_PARAMETERS // len(names))):
            values = ", ".join([one] * len(some))
            insertion = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES {values}"  # noqa: S608
            cursor.execute(insertion, [value for row in some for value in row])


def _field_of(model: type[models.Model], column: str) -> "models.Field[Any, Any]":
    return next(field for field in model._meta.concrete_fields if field.column == column)
