"""Updates of many rows, each with its own values, in few statements."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import connections, models, router

AT_ONCE = 1000


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


def _field_of(model: type[models.Model], column: str) -> "models.Field[Any, Any]":
    return next(field for field in model._meta.concrete_fields if field.column == column)
