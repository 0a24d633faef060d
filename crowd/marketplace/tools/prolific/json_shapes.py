"""Checks a value against the part of JSON Schema that the stand-in's own schema file uses.

The standard library has no such check, and the groups that the marketplace installs have none either: the
package jsonschema comes only with another package of the web group.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]
TYPES: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}
KEYWORDS = frozenset(
    {
        "$ref",
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "pattern",
        "properties",
        "required",
        "type",
    }
)
Misfits = Iterator[tuple[str, str]]


def misfits(value: Any, schema: Schema, *, definitions: Mapping[str, Schema], path: str = "") -> Misfits:
    """Each misfit as the path of a value and what is wrong with it."""
    if "$ref" in schema:
        yield from misfits(value, definitions[schema["$ref"]], definitions=definitions, path=path)
        return
    problem = _type_problem(value, schema) or _bound_problem(value, schema)
    if problem:
        yield path, problem
        return
    if "anyOf" in schema:
        yield from _choice_misfits(value, schema["anyOf"], definitions=definitions, path=path)
    if isinstance(value, dict):
        yield from _object_misfits(value, schema, definitions=definitions, path=path)
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from misfits(item, schema["items"], definitions=definitions, path=_join(path, str(number)))


def unknown_keywords(schema: Any) -> Iterator[str]:
    """The keywords that this module does not check, anywhere in the schema."""
    yield from schema.keys() - KEYWORDS
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    more = [schema.get("items"), schema.get("additionalProperties")]
    for part in [*inner, *(one for one in more if isinstance(one, dict))]:
        yield from unknown_keywords(part)


def _type_problem(value: Any, schema: Schema) -> str | None:
    wanted = schema.get("type")
    if wanted is not None:
        kinds = [wanted] if isinstance(wanted, str) else wanted
        if not any(TYPES[kind](value) for kind in kinds):
            return f"This is not {' or '.join(kinds)}."
    if "enum" in schema and value not in schema["enum"]:
        return f"{value!r} is not one of {schema['enum']}."
    return None


def _bound_problem(value: Any, schema: Schema) -> str | None:
    if isinstance(value, str):
        if len(value) < schema.get("minLength", 0):
            return "This is too short."
        if not re.search(schema.get("pattern", ""), value):
            return "This does not have the right form."
    if isinstance(value, list) and not schema.get("minItems", 0) <= len(value) <= schema.get(
        "maxItems", len(value)
    ):
        return "This list has the wrong length."
    if TYPES["number"](value) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return "This number is out of bounds."
    return None


def _choice_misfits(
    value: Any, choices: list[Schema], *, definitions: Mapping[str, Schema], path: str
) -> Misfits:
    found = [list(misfits(value, one, definitions=definitions, path=path)) for one in choices]
    if all(found):
        yield min(found, key=len)[0]


def _object_misfits(
    value: Mapping[str, Any], schema: Schema, *, definitions: Mapping[str, Schema], path: str
) -> Misfits:
    for name in schema.get("required", []):
        if name not in value:
            yield _join(path, name), "This field is required."
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name, inner in value.items():
        if name in properties:
            yield from misfits(inner, properties[name], definitions=definitions, path=_join(path, name))
        elif others is False:
            yield _join(path, name), "This field is not known."
        elif isinstance(others, dict):
            yield from misfits(inner, others, definitions=definitions, path=_join(path, name))


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
