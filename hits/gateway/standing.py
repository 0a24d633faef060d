"""While rows that were put back are compared, a provider is asked and never told."""

from hits.errors import StandsStill
from hits.models import Epoch

ASKS = ("get_", "list_")
WORDS = "Nothing was sent: rows were put back from a copy. Somebody must confirm the comparison first."


def refuse_to_tell(operation: str, *, account_id: int) -> None:
    """Raises StandsStill."""
    if operation.startswith(ASKS):
        return
    if Epoch.objects.filter(account=account_id, confirmed_at=None).exists():
        raise StandsStill(WORDS)
