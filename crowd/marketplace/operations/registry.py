from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from botocore import xform_name

from crowd.marketplace import parameter_validation
from crowd.marketplace.models.parties import Requester


@dataclass(frozen=True, kw_only=True)
class Call:
    """One signed request whose parameters have passed the service model."""

    operation: str
    requester: Requester
    params: Mapping[str, Any]
    now: datetime
    # The caller's words to the worker, for operations that have no parameter for them.
    reason: str = ""

    def money(self, name: str) -> Decimal:
        return Decimal(self.params[name])

    def text(self, name: str) -> str:
        return str(self.params.get(name) or "")


Operation = Callable[[Call], Mapping[str, Any]]
OPERATIONS: dict[str, Operation] = {}


def operation(function: Operation) -> Operation:
    """Register the function under the operation that boto3 would call by the function's name."""
    named = {xform_name(name): name for name in parameter_validation.service_model().operation_names}
    OPERATIONS[named[function.__name__]] = function
    return function
