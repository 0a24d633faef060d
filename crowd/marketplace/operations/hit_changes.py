"""Changes to a HIT after it was posted. The HIT is locked before anything is decided."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from crowd.marketplace.errors import ParameterValidationError, out_of_range
from crowd.marketplace.models import HIT
from crowd.marketplace.operations.hit_types import find_hit_type
from crowd.marketplace.operations.hits import find_hit
from crowd.marketplace.operations.registry import Call, operation
from crowd.marketplace.operations.tokens import use_token
from crowd.marketplace.services import hit_creation, hit_endings


@operation
def create_additional_assignments_for_hit(call: Call) -> Mapping[str, Any]:
    hit = _lock_hit(call)
    use_token(
        call,
        operation="CreateAdditionalAssignmentsForHIT",
        code="InvalidParameterValue",
        made=hit.external_id,
    )
    more = call.params["NumberOfAdditionalAssignments"]
    if not 1 <= more <= hit_creation.MOST_ASSIGNMENTS:
        raise out_of_range("NumberOfAdditionalAssignments", low=1, high=hit_creation.MOST_ASSIGNMENTS)
    hit_creation.add_assignments(hit=hit, more=more, now=call.now)
    return {}


@operation
def update_expiration_for_hit(call: Call) -> Mapping[str, Any]:
    expires_at = _read_instant(call.params["ExpireAt"])
    hit_endings.set_expiration(hit=_lock_hit(call), expires_at=expires_at, now=call.now)
    return {}


@operation
def update_hit_review_status(call: Call) -> Mapping[str, Any]:
    hit_endings.set_reviewing(hit=_lock_hit(call), revert=bool(call.params.get("Revert")))
    return {}


@operation
def update_hit_type_of_hit(call: Call) -> Mapping[str, Any]:
    hit_creation.change_type(hit=_lock_hit(call), hit_type=find_hit_type(call), now=call.now)
    return {}


@operation
def delete_hit(call: Call) -> Mapping[str, Any]:
    hit_endings.dispose_hit(hit=_lock_hit(call), now=call.now)
    return {}


def _lock_hit(call: Call) -> HIT:
    return hit_creation.lock_hit(find_hit(call).pk)


def _read_instant(value: float | str) -> datetime:
    """Read an epoch number, or ISO 8601, which some clients write instead."""
    try:
        return datetime.fromtimestamp(float(value), tz=UTC)
    except (ValueError, OverflowError, OSError):
        pass
    try:
        read = datetime.fromisoformat(str(value))
    except ValueError:
        raise ParameterValidationError(
            "ExpireAt must be seconds since 1970, or an instant such as 2026-12-31T00:00:00Z.",
            code="InvalidParameterValue",
        ) from None
    return read if read.tzinfo else read.replace(tzinfo=UTC)
