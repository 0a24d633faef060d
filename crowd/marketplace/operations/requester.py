from collections.abc import Mapping
from typing import Any

from crowd.marketplace.operations.registry import Call, operation


@operation
def get_account_balance(call: Call) -> Mapping[str, Any]:
    return {"AvailableBalance": call.requester.available}
