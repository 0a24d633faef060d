from collections.abc import Mapping
from typing import Any

from crowd.marketplace.errors import does_not_exist
from crowd.marketplace.models import QualificationRequest
from crowd.marketplace.operations.pagination import page
from crowd.marketplace.operations.qualification_types import find_own_type
from crowd.marketplace.operations.qualifications import read_value
from crowd.marketplace.operations.registry import Call, operation
from crowd.marketplace.services.qualifying import qualifications as services


@operation
def list_qualification_requests(call: Call) -> Mapping[str, Any]:
    rows = QualificationRequest.objects.filter(
        type__requester=call.requester, status=QualificationRequest.Status.PENDING
    )
    if call.text("QualificationTypeId"):
        rows = rows.filter(type=find_own_type(call))
    return page(
        call,
        rows.select_related("type", "worker"),
        name="QualificationRequests",
        describe=describe_request,
    )


@operation
def accept_qualification_request(call: Call) -> Mapping[str, Any]:
    services.accept_request(request_id=_find_request(call).pk, value=read_value(call), now=call.now)
    return {}


@operation
def reject_qualification_request(call: Call) -> Mapping[str, Any]:
    services.reject_request(request_id=_find_request(call).pk, reason=call.text("Reason"), now=call.now)
    return {}


def describe_request(request: QualificationRequest) -> Mapping[str, Any]:
    return {
        "QualificationRequestId": request.external_id,
        "QualificationTypeId": request.type.external_id,
        "WorkerId": request.worker.external_id,
        "Test": request.type.test or None,
        "Answer": request.answer or None,
        "SubmitTime": request.submitted_at,
    }


def _find_request(call: Call) -> QualificationRequest:
    """The request with this id. A test that is still being taken is hidden from the requester."""
    external_id = call.text("QualificationRequestId")
    request = (
        QualificationRequest.objects.filter(type__requester=call.requester, external_id=external_id)
        .exclude(status=QualificationRequest.Status.STARTED)
        .first()
    )
    if not request:
        raise does_not_exist("QualificationRequest", external_id)
    return request
