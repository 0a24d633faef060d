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

# Rows of a group, without images and with them. A reader loads a group at a time, and so does the writer.
GROUP, IMAGE_GROUP = 1_000, 50
# Returns the bytes of an image and its file's name, or None where it is left out.
Images = Callable[[str], tuple[bytes, str] | None]
SIMPLE: Mapping[str, pa.DataType] = {
    kinds.TEXT: pa.string(),
    kinds.INTEGER: pa.int64(),
    kinds.NUMBER: pa.float64(),
    kinds.FLAG: pa.bool_(),
    kinds.MOMENT: pa.timestamp("us", tz="UTC"),
    kinds.PERSON: pa.string(),
    kinds.TEXTS: pa.list_(pa.string()),
    kinds.IMAGE: pa.struct([pa.field("bytes", pa.binary()), pa.field("path", pa.string())]),
}
# The names of these types in the library's description of a file.
FEATURES: Mapping[str, str] = {
    kinds.TEXT: "string",
    kinds.INTEGER: "int64",
    kinds.NUMBER: "float64",
    kinds.FLAG: "bool",
    kinds.MOMENT: "timestamp[us, tz=UTC]",
    kinds.PERSON: "string",
    kinds.TEXTS: "string",
}


def _none(_: str) -> None:
    return None


def write_parquet(
    columns: Sequence[Column], rows: Iterable[Row], file: IO[bytes], *, images: Images = _none
) -> None:
    """Write rows as Parquet: moments become timestamps, and nested rows stay nested."""
    has_images = any(one.kind == kinds.IMAGE for one in columns)
    schema = pa.schema([pa.field(one.name, _type_of(one)) for one in columns])
    if has_images:
        features = {one.name: _feature_of(one) for one in columns}
        schema = schema.with_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    remaining = (_prepared(columns, row, images) for row in rows)
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        while group := list(islice(remaining, IMAGE_GROUP if has_images else GROUP)):
            writer.write_table(pa.Table.from_pylist(group, schema=schema))
            del group  # before the next one is read


def _feature_of(one: Column) -> Any:
    if one.kind == kinds.IMAGE:
        return {"_type": "Image"}
    if one.kind == kinds.ROWS:
        return [{inner.name: _feature_of(inner) for inner in one.columns}]
    value = {"dtype": FEATURES[one.kind], "_type": "Value"}
    return [value] if one.kind == kinds.TEXTS else value


def _type_of(one: Column) -> pa.DataType:
    if one.kind == kinds.ROWS:
        return pa.list_(pa.struct([pa.field(inner.name, _type_of(inner)) for inner in one.columns]))
    return SIMPLE[one.kind]


def _prepared(columns: Sequence[Column], row: Row, images: Images) -> dict[str, Any]:
    return {one.name: _value(one, row[one.name], images) for one in columns}


def _value(one: Column, value: Any, images: Images) -> Any:
    if value is None:
        return None
    if one.kind == kinds.IMAGE:
        found = images(value)
        return None if found is None else {"bytes": found[0], "path": found[1]}
    if one.kind == kinds.MOMENT:
        return datetime.fromisoformat(value)
    return [_prepared(one.columns, inner, images) for inner in value] if one.kind == kinds.ROWS else value
