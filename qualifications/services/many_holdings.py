"""Many holdings given or revoked by a person, a slice at a time: if cut off, the same click does the rest.

The provider is told of every changed row afterwards, as after a single change.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Q, QuerySet

from hits.core import audit_trail
from hits.identity.models.users import User
from qualifications.models import Holding
from qualifications.services.gate_holdings import check_words

AT_ONCE = 500
PASSED, TRIED = Holding.Value.PASSED, Holding.Value.TRIED
log = structlog.get_logger()


def revoke_many(*, keys: Collection[int], by: User, reason: str, now: datetime) -> int:
    """Revoke those that are held now; return how many.

    Workers read the reason; only a person gives it again.
    """
    words = check_words(reason)
    values = {"value": TRIED, "reason": words, "revoked_at": now}
    return _change(keys, Q(value=PASSED), values, verb="revoked", words=words, by=by, now=now)


def give_many(*, keys: Collection[int], by: User, reason: str, now: datetime) -> int:
    """Give to those who do not hold it now, whatever the tests say; return how many."""
    words = check_words(reason)
    values = {"value": PASSED, "reason": "", "revoked_at": None}
    lacking = Q(value=None) | ~Q(value=PASSED)
    return _change(keys, lacking, values, verb="given", words=words, by=by, now=now)


def _change(
    keys: Collection[int], which: Q, values: dict[str, Any], *, verb: str, words: str, by: User, now: datetime
) -> int:
    ordered, changed = sorted(keys), 0
    new = {**values, "by": by, "changed_at": now, "problem": ""}
    for start in range(0, len(ordered), AT_ONCE):
        with transaction.atomic():
            held = _lock(Holding.objects.filter(which, pk__in=ordered[start : start + AT_ONCE]))
            _write(held, new)
            for one in held:
                said = f"“{one.gate.name}” of {one.worker} was {verb}: {words}"
                audit_trail.note(f"qualification.{verb}", said, by=by, now=now, study=one.gate.study)
        changed += len(held)
    log.info("holdings.changed", verb=verb, count=changed, by=str(by.public_id))
    return changed


def _write(held: Sequence[Holding], new: dict[str, Any]) -> None:
    """Update the rows; those at accounts without a provider have nobody to tell."""
    for has_provider in (True, False):
        keys = [one.pk for one in held if one.worker.account.can.is_connected is has_provider]
        Holding.objects.filter(pk__in=keys).update(**new, is_told=not has_provider)


def _lock(rows: QuerySet[Holding]) -> list[Holding]:
    related = rows.select_related("gate__study", "worker__account").order_by("pk")
    return list(related.select_for_update(of=("self",), no_key=True))
