"""Counting the rows of a query by its columns, where some of them are sums of other rows."""

from typing import Any

from django.db import connections
from django.db.models import QuerySet


def count_by(*names: str, rows: QuerySet[Any, Any]) -> list[tuple[Any, ...]]:
    """Return each combination of these annotations with how often it occurs, as the database writes values.

    The ORM cannot group by a sum. A subquery for each row could, and takes many times as long.
    """
    connection = connections[rows.db]
    sql, parameters = rows.values_list(*names).query.get_compiler(using=rows.db).as_sql()
    columns = ", ".join(connection.ops.quote_name(name) for name in names)
    counted = f"SELECT {columns}, COUNT(*) FROM ({sql}) counted GROUP BY {columns}"  # noqa: S608 - our names
    with connection.cursor() as cursor:
        cursor.execute(counted, parameters)
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found
