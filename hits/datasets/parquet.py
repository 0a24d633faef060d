"""Parquet by Apache's own library, which is large: import this module only to write a file.

Files with images are laid out as the `datasets` library loads them without a script: an image is a struct of
its bytes and its name, and the schema says which columns are images.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from hits.datasets import columns as kinds
from hits.datasets.columns import Column, Row

# Rows of a group. A reader loads a group at a time, and so does the writer.
GROUP = 5_000
SIMPLE: Mapping[str, pa.DataType] = {
    kinds.TEXT: pa.string(),
    kinds.INTEGER: pa.int64(),
    kinds.NUMBER: pa.float64(),
    kinds.FLAG: pa.bool_(),
    kinds.MOMENT: pa.timestamp("us", tz="UTC"),
    kinds.PERSON: pa.string(),
    kinds.TEXTS: pa.list_(pa.string()),
}


def write_parquet(columns: Sequence[Column], rows: Iterable[Row], file: IO[bytes]) -> None:
    """Moments are moments, and what is nested stays so."""
    schema = pa.schema([pa.field(one.name, _type_of(one)) for one in columns])
    remaining = (_prepared(columns, row) for row in rows)
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        while group := list(islice(remaining, GROUP)):
            writer.write_table(pa.Table.from_pylist(group, schema=schema))
            del group  # before the next one is read


def _type_of(one: Column) -> pa.DataType:
    if one.kind == kinds.ROWS:
        return pa.list_(pa.struct([pa.field(inner.name, _type_of(inner)) for inner in one.columns]))
    return SIMPLE[one.kind]


def _prepared(columns: Sequence[Column], row: Row) -> dict[str, Any]:
    return {one.name: _value(one, row[one.name]) for one in columns}


def _value(one: Column, value: Any) -> Any:
    if value is None:
        return None
    if one.kind == kinds.MOMENT:
        return datetime.fromisoformat(value)
    return [_prepared(one.columns, inner) for inner in value] if one.kind == kinds.ROWS else value
