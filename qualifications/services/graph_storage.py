"""Answers written to the graph in bulk. Answers that differ by case alone are one, and add up."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeVar

from django.db import connection

from qualifications.domain.association_files import Answer
from qualifications.models import SwowEdge, SwowList, SwowWord

Value = TypeVar("Value")
# Words looked up, and rows written, by one statement.
AT_ONCE = 800
# Rows of words that are cached. Beyond that the cache is cleared: memory must not grow with a file.
REMEMBERED = 50_000


class Store:
    """The writer of one list. The caller holds the transaction, and is the only writer of the list."""

    def __init__(self, swow: SwowList) -> None:
        self._list_id = swow.pk
        self._rows: dict[str, int] = {}

    def add(self, answers: Sequence[Answer]) -> None:
        self._know({word for one in answers for word in (one.cue, one.response)})
        edges: Counter[tuple[int, int]] = Counter()
        counted: Counter[int] = Counter()
        stated: dict[int, int] = {}
        for cue, response, people, asked in answers:
            pk = self._rows[cue]
            edges[pk, self._rows[response]] += people
            counted[pk] += people
            stated[pk] = max(asked, stated.get(pk, 0))
        _write_edges([(cue, response, people) for (cue, response), people in edges.items()])
        _write_totals([(stated[pk], stated[pk], people, pk) for pk, people in counted.items()])

    def _know(self, texts: set[str]) -> None:
        """Cache each word's row, and make the missing ones."""
        if len(self._rows) > REMEMBERED:
            self._rows.clear()
        for some in _slices(sorted(texts.difference(self._rows))):
            known = SwowWord.objects.filter(list=self._list_id, text__in=some)
            self._rows.update(known.values_list("text", "pk"))
            new = [text for text in some if text not in self._rows]
            if new:
                self._rows.update(_write_words(new, list_id=self._list_id))


def _write_words(texts: Sequence[str], *, list_id: int) -> list[tuple[str, int]]:
    table = connection.ops.quote_name(SwowWord._meta.db_table)
    places = ", ".join(["(%s, %s, 0, 0)"] * len(texts))
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} (list_id, text, stated_total, counted_total) VALUES {places} "  # noqa: S608
            "RETURNING text, id",
            [value for text in texts for value in (list_id, text)],
        )
        return list(cursor.fetchall())


def _write_edges(edges: Sequence[tuple[int, int, int]]) -> None:
    """Add to existing counts, which bulk_create cannot do: a pair may come again in a later slice."""
    table = connection.ops.quote_name(SwowEdge._meta.db_table)
    with connection.cursor() as cursor:
        for some in _slices(edges):
            places = ", ".join(["(%s, %s, %s)"] * len(some))
            cursor.execute(
                f"INSERT INTO {table} (cue_id, response_id, count) VALUES {places} "  # noqa: S608
                f"ON CONFLICT (cue_id, response_id) DO UPDATE SET count = {table}.count + excluded.count",
                [value for edge in some for value in edge],
            )


def _write_totals(totals: Sequence[tuple[int, int, int, int]]) -> None:
    table = connection.ops.quote_name(SwowWord._meta.db_table)
    with connection.cursor() as cursor:
        cursor.executemany(
            f"UPDATE {table} SET stated_total = CASE WHEN stated_total < %s THEN %s ELSE stated_total END, "  # noqa: S608
            "counted_total = counted_total + %s WHERE id = %s",
            totals,
        )


def _slices(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    for start in range(0, len(values), AT_ONCE):
        yield values[start : start + AT_ONCE]
