"""Queries whose SQL is written once in each process, for those that nearly every page asks.

The ORM takes longer to write such a query than the database to answer it. Rows come out as from any queryset.
"""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BigIntegerField, DateTimeField, Expression, Field, QuerySet
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import TransactionManagementError

Row = TypeVar("Row")


class Given(Expression):
    """A value that each call brings. It stands in the query where the value would."""

    def __init__(self, name: str, output_field: "Field[Any, Any]") -> None:
        super().__init__(output_field=output_field)
        self.name = name

    def as_sql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> Any:
        return "%s", [self]

    def prepare(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        return self.output_field.get_db_prep_value(value, connection)


NOW = Given("now", DateTimeField())


def given_id(name: str) -> Given:
    return Given(name, BigIntegerField())


@dataclass(frozen=True, kw_only=True)
class Written(Generic[Row]):
    """A query as SQL, with its parameters: values, and places of values that are given."""

    rows: "QuerySet[Any, Row]"
    compiler: SQLCompiler
    sql: str
    parameters: tuple[Any, ...]

    def fill(self, given: Mapping[str, Any]) -> "QuerySet[Any, Row]":
        """Return the queryset that runs this SQL with these values."""
        connection = connections[self.rows.db]
        if self.rows.query.select_for_update and not connection.in_atomic_block:
            raise TransactionManagementError("Rows are locked in a transaction only.")
        parameters = tuple(
            one.prepare(given[one.name], connection) if isinstance(one, Given) else one
            for one in self.parameters
        )
        compiler, query = copy(self.compiler), copy(self.rows.query)
        compiler.connection = connection
        compiler.as_sql = lambda *_, **__: (self.sql, parameters)  # type: ignore[method-assign]
        query.get_compiler = lambda *_, **__: compiler  # type: ignore[method-assign]
        filled: Any = type(self.rows)(self.rows.model, query, self.rows.db)
        for shape in ("_iterable_class", "_fields"):  # what a queryset gives to its copies
            setattr(filled, shape, getattr(self.rows, shape))
        return filled  # type: ignore[no-any-return]


class KeptQuery(Generic[Row]):
    """A query that a function makes when it is first asked, with `Given` where each call has a value."""

    def __init__(self, make: Callable[[], "QuerySet[Any, Row]"]) -> None:
        self._make = make
        self._written: Written[Row] | None = None

    def rows(self, **given: Any) -> list[Row]:
        if self._written is None:
            self._written = _write(self._make())
        return list(self._written.fill(given))

    def first(self, **given: Any) -> Row | None:
        """Return the first row. The query itself says how many it reads."""
        return next(iter(self.rows(**given)), None)


def _write(rows: "QuerySet[Any, Row]") -> Written[Row]:
    compiler = rows.query.get_compiler(using=rows.db)
    sql, parameters = compiler.as_sql()
    return Written(rows=rows, compiler=compiler, sql=sql, parameters=tuple(parameters))
