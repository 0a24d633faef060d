"""Processes that die between any two statements, as often as a rehearsal assumes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, TypeVar

from django.db import connection

# Before one of so many statements a process dies, if it comes so far.
MOST_STATEMENTS = 60
Served = TypeVar("Served")


class ProcessKilledError(BaseException):
    """Nothing catches it on its way, as nothing catches `kill -9`. An open transaction is rolled back."""


class Deaths:
    """The deaths of a run, as a share of its processes. Without any share its chance is not drawn."""

    def __init__(self, share: float, *, chance: Random) -> None:
        self._share = share
        self._chance = chance
        self.count = 0

    def end(self) -> None:
        """Let no process die any more."""
        self._share = 0

    @contextmanager
    def risked(self) -> Iterator[None]:
        """Run a process that may die. Whoever calls goes on in the next process."""
        if not self._share or self._chance.random() >= self._share:
            yield
            return
        left = self._chance.randrange(MOST_STATEMENTS)

        def execute(run: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            nonlocal left
            left -= 1
            if left == -1:  # once: a rollback must still be possible
                raise ProcessKilledError
            return run(sql, params, many, context)

        try:
            with connection.execute_wrapper(execute):
                yield
        except ProcessKilledError:
            self.count += 1

    def served(self, serve: Callable[[], Served]) -> Served:
        """Return what a page says. If its process dies, the person sends the page again."""
        while True:
            with self.risked():
                return serve()
