"""A process that dies between two statements, or between a call and its answer."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection


class Killed(BaseException):
    """Nothing catches it, as nothing catches `kill -9`. An open transaction is rolled back."""


class Life:
    """A process that dies before statement number `statements`, or before or after call number `calls`."""

    def __init__(
        self, *, statements: int | None = None, calls: int | None = None, after: bool = False
    ) -> None:
        self._statements = statements
        self._calls = calls
        self._after = after

    @contextmanager
    def lived(self) -> Iterator[None]:
        try:
            with connection.execute_wrapper(self._execute):
                yield
        except Killed:
            # Statements outside any transaction each have one of their own, which ended with the process:
            # here it is the world's, in which the next process goes on.
            if connection.in_atomic_block:
                connection.set_rollback(False)
            raise

    def call(self, make: Callable[[], Any]) -> Any:
        if self._calls is None:
            return make()
        self._calls -= 1
        if self._calls >= 0:
            return make()
        self._calls = None
        if self._after:
            make()
        raise Killed

    def _execute(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if self._statements is not None:
            self._statements -= 1
            if self._statements < 0:
                self._statements = None  # once: a rollback must still be possible
                raise Killed
        return execute(sql, params, many, context)
