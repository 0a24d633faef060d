"""Tables of statistics in the API: exact numbers by the names of columns, as a table's JSON file has them."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from rest_framework import serializers
from rest_framework.pagination import BasePagination
from rest_framework.response import Response

from hits.datasets.stat_table import StatTable


class StatColumnSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="The name of its values in each row.")
    title = serializers.CharField(help_text="Its head on the page; empty where files alone have it.")
    kind = serializers.CharField(help_text="text, words, integer, number, share (of 1), interval or money.")


class StatTableSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    about = serializers.CharField(help_text="What is counted, and how.")
    note = serializers.CharField()
    columns = StatColumnSerializer(many=True)
    rows = serializers.ListField(
        child=serializers.DictField(), help_text="Exact numbers by the names of the columns."
    )


class OnePage(BasePagination):
    """A list whose rows are few and counted together: all of them are its only page."""

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"next": None, "previous": None, "results": data})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        nothing = {"type": "string", "nullable": True}
        return {
            "type": "object",
            "required": ["results"],
            "properties": {"next": nothing, "previous": nothing, "results": schema},
        }


def answer_tables(tables: Sequence[StatTable]) -> Response:
    """Answer with all of these tables."""
    return Response(StatTableSerializer([tell_table(table) for table in tables], many=True).data)


def tell_table(table: StatTable) -> dict[str, Any]:
    return {
        "name": table.name,
        "title": table.title,
        "about": table.about,
        "note": table.note,
        "columns": [column for column in table.columns if column.name],
        "rows": list(_finite(table.as_json())),
    }


def _finite(rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows that JSON can hold: it has no words for infinity, nor for what is no number."""
    for row in rows:
        yield {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in row.items()
        }
