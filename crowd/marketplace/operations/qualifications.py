from collections.abc import Mapping
from typing import Any

from crowd.marketplace.errors import ParameterValidationError, out_of_range
from crowd.marketplace.models import Qualification
from crowd.marketplace.models.parties import Worker
from crowd.marketplace.operations.pagination import page
from crowd.marketplace.operations.qualification_types import find_own_type
from crowd.marketplace.operations.registry import Call, operation
from crowd.marketplace.services.qualifying import qualifications as services
from crowd.marketplace.services.qualifying.requirement_checks import LEAST_INTEGER, MOST_INTEGER

DEFAULT_VALUE = 1


@operation
def associate_qualification_with_worker(call: Call) -> Mapping[str, Any]:
    """Grant a qualification. A waiting request of the worker stays: the requester decides it separately."""
    granted = services.grant(
        type_=find_own_type(call),
        worker=_find_worker(call),
        value=read_value(call),
        reason=call.reason,
        now=call.now,
    )
    if call.params.get("SendNotification", True):
        services.tell_of_grant(granted, now=call.now)
    return {}


@operation
def disassociate_qualification_from_worker(call: Call) -> Mapping[str, Any]:
    services.revoke(
        type_=find_own_type(call), worker=_find_worker(call), reason=call.text("Reason"), now=call.now
    )
    return {}


@operation
def get_qualification_score(call: Call) -> Mapping[str, Any]:
    held = services.find_granted(type_=find_own_type(call), worker_id=call.params["WorkerId"])
    return {"Qualification": describe_qualification(held)}


@operation
def list_workers_with_qualification_type(call: Call) -> Mapping[str, Any]:
    """List the workers who hold the type, or those from whom it was revoked if Status says so."""
    rows = Qualification.objects.filter(
        type=find_own_type(call), revoked_at__isnull=call.text("Status") != "Revoked"
    )
    return page(
        call,
        rows.select_related("type", "worker"),
        name="Qualifications",
        describe=describe_qualification,
    )


def read_value(call: Call) -> int:
    value: int = call.params.get("IntegerValue", DEFAULT_VALUE)
    if not LEAST_INTEGER <= value <= MOST_INTEGER:
        raise out_of_range("IntegerValue", low=LEAST_INTEGER, high=MOST_INTEGER)
    return value


def describe_qualification(held: Qualification) -> Mapping[str, Any]:
    return {
        "QualificationTypeId": held.type.external_id,
        "WorkerId": held.worker.external_id,
        "GrantTime": held.granted_at,
        "IntegerValue": held.value,
        "Status": "Revoked" if held.revoked_at else "Granted",
    }


def _find_worker(call: Call) -> Worker:
    external_id = call.params["WorkerId"]
    worker = Worker.objects.filter(external_id=external_id, erased_at=None).first()
    if not worker:
        raise ParameterValidationError(f"Worker {external_id} does not exist.", code="InvalidParameterValue")
    return worker
