"""What a person says of a registered model: how much it has learned from, and what for."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from hits.core import audit_trail
from hits.identity.models.users import User
from scoring.models import RegisteredRival
from scoring.models.model_facts import STATED


def state_facts(*, rival: RegisteredRival, facts: Mapping[str, Any], by: User, now: datetime) -> None:
    """Store these facts, which have been checked; the others stay as they are."""
    changed = {name: facts[name] for name in STATED if name in facts and facts[name] != getattr(rival, name)}
    if not changed:
        return
    said = "; ".join(f"{name.replace('_', ' ')}: {value}" for name, value in changed.items())
    with transaction.atomic():
        RegisteredRival.objects.filter(pk=rival.pk).update(**changed)
        audit_trail.note("rival.facts", f"Of {rival} it is said: {said}.", by=by, now=now)
    for name, value in changed.items():
        setattr(rival, name, value)
