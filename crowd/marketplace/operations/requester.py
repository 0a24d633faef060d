from collections.abc import Mapping
from typing import Any

from crowd.marketplace.models.parties import Requester
from crowd.marketplace.operations.registry import Call, operation


@operation
def get_account_balance(call: Call) -> Mapping[str, Any]:
    # Read again: the work that the clock had made due was settled after the key was looked up.
    requester = Requester.objects.get(pk=call.requester.pk)
    return {"AvailableBalance": requester.available, "OnHoldBalance": requester.on_hold}
