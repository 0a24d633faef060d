"""A study's gates, as a person makes, changes and switches them. Their decisions are made elsewhere."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import structlog
from django.db import transaction

from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from qualifications.models import Gate, PlatformType

# A type at the provider keeps its name for good, and whether it carries a test.
FIXED_BY_TYPE = frozenset({"name", "grading"})
FIXED_BY_ATTEMPT = frozenset({"test_task", "grading"})
MADE = (PlatformType.Status.READY, PlatformType.Status.INTENDED)
log = structlog.get_logger()


def fixed_fields(gate: Gate) -> frozenset[str]:
    """Fields that can no longer be changed. Rules, floors and the opened tasks always can."""
    has_type = gate.platform_types.filter(status__in=MADE).exists()
    is_tried = gate.attempts.exists() or gate.holdings.exists()
    by_type = FIXED_BY_TYPE if has_type else frozenset()
    return by_type | (FIXED_BY_ATTEMPT if is_tried else frozenset())


def add_gate(*, gate: Gate, by: User, now: datetime) -> None:
    """Save a new gate switched off, so that no worker is kept out by an unfinished form."""
    gate.is_active = False
    gate.save()
    log.info("gate.added", gate=str(gate.public_id), by=str(by.public_id))


def change_gate(*, gate: Gate, values: Mapping[str, Any], by: User, now: datetime) -> list[str]:
    """Change the gate; return the names of the changed fields.

    Raises RuleBroken, changing nothing, if one is fixed.
    """
    with transaction.atomic():
        kept = Gate.objects.select_for_update(no_key=True).get(pk=gate.pk)
        changed = sorted(name for name, value in values.items() if getattr(kept, name) != value)
        if fixed := fixed_fields(kept).intersection(changed):
            raise RuleBroken(
                "fixed", f"This cannot be changed any more: {', '.join(sorted(fixed))}. Open the form again."
            )
        if changed:
            Gate.objects.filter(pk=gate.pk).update(**{name: values[name] for name in changed})
    log.info("gate.changed", gate=str(gate.public_id), fields=changed, by=str(by.public_id))
    return changed


def switch_gate(*, gate: Gate, on: bool, by: User, now: datetime) -> bool:
    """Switch the gate on or off, on the record; False if it was so already."""
    with transaction.atomic():
        if not Gate.objects.filter(pk=gate.pk, is_active=not on).update(is_active=on):
            return False
        words = f"The gate {gate.name} was switched {'on' if on else 'off'}."
        audit_trail.note("qualification.switched", words, by=by, now=now, study=gate.study)
    gate.is_active = on
    log.info("gate.switched", gate=str(gate.public_id), on=on, by=str(by.public_id))
    return True
