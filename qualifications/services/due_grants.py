"""When the next row that rests until some instant is due."""

from datetime import datetime
from typing import Any

from django.db.models import Min, QuerySet

from hits.providers.models.accounts import Account
from hits.providers.services.usable_accounts import usable


def earliest(rows: QuerySet[Any], *, at: str, account: str) -> datetime | None:
    """Earliest instant of the rows whose account can be asked; others wait until their account is fixed."""
    resting = rows.filter(**{f"{at}__isnull": False}).order_by()
    firsts = dict(resting.values_list(account).annotate(first=Min(at)))
    if not firsts:
        return None
    found = usable(Account.objects.filter(pk__in=firsts))
    return min((firsts[one.pk] for one, _ in found), default=None)
