from collections.abc import Mapping
from typing import Any

from crowd.marketplace.domain import CENT
from crowd.marketplace.errors import (
    ParameterValidationError,
    RequestError,
    does_not_exist,
    out_of_range,
)
from crowd.marketplace.models import BonusPayment
from crowd.marketplace.models.parties import Requester
from crowd.marketplace.operations.assignments import VISIBLE, find_assignment
from crowd.marketplace.operations.hits import find_hit
from crowd.marketplace.operations.pagination import page
from crowd.marketplace.operations.registry import Call, operation
from crowd.marketplace.operations.tokens import use_token
from crowd.marketplace.services import reviewing


@operation
def send_bonus(call: Call) -> Mapping[str, Any]:
    use_token(call, operation="SendBonus", code="InvalidParameterValue", made=call.text("AssignmentId"))
    assignment = find_assignment(call)
    amount = call.money("BonusAmount")
    if not CENT <= amount <= Requester.MOST_MONEY:
        raise out_of_range("BonusAmount", low=CENT, high=Requester.MOST_MONEY)
    if not call.text("Reason").strip():
        raise ParameterValidationError(
            "Reason: tell the worker what the bonus is for.", code="InvalidParameterValue"
        )
    if assignment.status not in VISIBLE:
        raise does_not_exist("Assignment", assignment.external_id)
    if assignment.worker.external_id != call.params["WorkerId"]:
        raise RequestError(
            f"Worker {call.params['WorkerId']} did not do assignment {assignment.external_id}.",
            code="InvalidParameterValue",
        )
    reviewing.pay_bonus(
        requester=call.requester,
        assignment=assignment,
        amount=amount.quantize(CENT),
        reason=call.text("Reason"),
        now=call.now,
    )
    return {}


@operation
def list_bonus_payments(call: Call) -> Mapping[str, Any]:
    rows = BonusPayment.objects.select_related("assignment", "worker")
    if call.text("AssignmentId"):
        rows = rows.filter(assignment=find_assignment(call))
    elif call.text("HITId"):
        rows = rows.filter(assignment__hit=find_hit(call))
    else:
        raise ParameterValidationError(
            "ListBonusPayments needs a HITId or an AssignmentId.", code="InvalidParameterValue"
        )
    return page(call, rows, name="BonusPayments", describe=describe_bonus)


def describe_bonus(bonus: BonusPayment) -> Mapping[str, Any]:
    return {
        "WorkerId": bonus.worker.external_id,
        "BonusAmount": bonus.amount,
        "AssignmentId": bonus.assignment.external_id,
        "Reason": bonus.reason,
        "GrantTime": bonus.granted_at,
    }
