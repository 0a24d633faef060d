"""Checks input against botocore's own model of the service, and writes output by it."""

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import Any

from botocore.loaders import Loader
from botocore.model import ListShape, OperationModel, ServiceModel, Shape, StructureShape

from crowd.marketplace.errors import SerializationException, ValidationException

PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "long": (int,),
    "boolean": (bool,),
    "timestamp": (int, float, str),
    "structure": (dict,),
    "list": (list,),
    "map": (dict,),
}

UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # no database keeps them


@cache
def service_model() -> ServiceModel:
    return ServiceModel(Loader().load_service_model("mturk", "service-2"), "mturk")


def operation_model(name: str) -> OperationModel | None:
    model = service_model()
    return model.operation_model(name) if name in model.operation_names else None


def check_input(value: object, shape: Shape, *, path: str = "") -> None:
    """Raise SerializationException for a wrong type, ValidationException for a broken constraint."""
    kinds = PYTHON_TYPES[shape.type_name]
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise SerializationException(f"{path or 'The input'} must be a {shape.type_name}.")
    if isinstance(shape, StructureShape) and isinstance(value, dict):
        _check_structure(value, shape, path=path)
    elif isinstance(shape, ListShape) and isinstance(value, list):
        for number, element in enumerate(value, start=1):
            check_input(element, shape.member, path=f"{path}.{number}.member")
    else:
        _check_scalar(value, shape, path=path)


def known_part(value: Any, shape: Shape) -> Any:
    """The members that the model names. No others were checked, so no others may be kept."""
    if isinstance(shape, StructureShape):
        named = {name: value.get(name) for name in shape.members}
        return {
            name: known_part(inner, shape.members[name]) for name, inner in named.items() if inner is not None
        }
    if isinstance(shape, ListShape):
        return [known_part(element, shape.member) for element in value]
    return value


def _check_structure(value: dict[str, object], shape: StructureShape, *, path: str) -> None:
    for name in shape.required_members:
        if value.get(name) is None:
            raise ValidationException(
                value=None, member=_member(path, name), constraint="Member must not be null"
            )
    for name, member in shape.members.items():
        if value.get(name) is not None:
            check_input(value[name], member, path=_member(path, name))


def _check_scalar(value: Any, shape: Shape, *, path: str) -> None:
    metadata: Mapping[str, Any] = shape.metadata
    is_text = isinstance(value, str)
    size, measure = (len(value), "have length") if is_text else (value, "have value")
    broken = ""
    if is_text and UNSTORABLE.search(value):
        broken = "Member must not hold NUL or half a surrogate pair"
    elif "min" in metadata and size < metadata["min"]:
        broken = f"Member must {measure} greater than or equal to {metadata['min']}"
    elif "max" in metadata and size > metadata["max"]:
        broken = f"Member must {measure} less than or equal to {metadata['max']}"
    elif "pattern" in metadata and not re.search(metadata["pattern"].replace("$", r"\Z"), value):
        broken = f"Member must satisfy regular expression pattern: {metadata['pattern']}"
    elif (enum := getattr(shape, "enum", None)) and value not in enum:
        broken = f"Member must satisfy enum value set: [{', '.join(enum)}]"
    if broken:
        raise ValidationException(value=value, member=path, constraint=broken)


def _member(path: str, name: str) -> str:
    """The member's path as the service's own Java names it: bonusAmount, not BonusAmount."""
    lowered = name if name.isupper() else name[0].lower() + name[1:]
    return f"{path}.{lowered}" if path else lowered


def write_output(value: Any) -> Any:
    """JSON's values: instants as epoch numbers, money as text, absent members left out."""
    if isinstance(value, Mapping):
        return {key: write_output(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [write_output(item) for item in value]
    if isinstance(value, datetime):
        return round(value.timestamp(), 3)
    if isinstance(value, Decimal):
        return f"{value:.2f}"
    return value
