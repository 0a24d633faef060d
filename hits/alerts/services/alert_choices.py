"""Changes of what a person is told and of a study's own address, each on record."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from hits.alerts.models import Alert, AlertChoice, AlertHook, How, Kind
from hits.alerts.services.alert_posts import read_target
from hits.common.outgoing import Undeliverable
from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.studies.models import Study


def choose_alerts(*, user: User, study: Study | None, hows: Mapping[Kind, How | None], now: datetime) -> None:
    """Keep the person's choices for all studies or for one. None: as usual, and as for all studies."""
    with transaction.atomic():
        rows = AlertChoice.objects.filter(user=user, study=study)
        before = dict(rows.values_list("kind", "how"))
        wanted = {kind: how for kind, how in hows.items() if how is not None}
        rows.filter(kind__in=[kind for kind in hows if kind not in wanted]).delete()
        for kind, how in wanted.items():
            AlertChoice.objects.update_or_create(user=user, study=study, kind=kind, defaults={"how": how})
        if changed := sorted(kind for kind in hows if before.get(kind) != wanted.get(kind)):
            said = ", ".join(_in_words(kind, wanted.get(kind)) for kind in changed)
            audit_trail.note("alert.chosen", f"Chose what to be told: {said}.", by=user, now=now, study=study)


def _in_words(kind: Kind, how: How | None) -> str:
    return f"{Kind(kind).label}: {how.label.lower() if how else 'as usual'}"


class HookSet(NamedTuple):
    """The address as it is kept now, and its key if it is a new one: that is shown once."""

    hook: AlertHook
    new_secret: str


def set_hook(
    *,
    study: Study,
    address: str,
    kinds: Sequence[Kind],
    is_on: bool,
    wants_new_secret: bool,
    by: User,
    now: datetime,
) -> HookSet:
    """Keep the study's address. An empty one keeps what is there. Raises RuleBroken for a wrong one."""
    with transaction.atomic():
        hook = AlertHook.objects.select_for_update().filter(study=study).first() or AlertHook(study=study)
        _set_address(hook, address)
        new_secret = secrets.token_urlsafe(32) if wants_new_secret or not hook.pk else ""
        hook.secret = new_secret or hook.secret
        hook.kinds, hook.is_on, hook.set_by, hook.set_at = list(kinds), is_on, by, now
        hook.save()
        words = f"The address for news of the study was set: {'on' if is_on else 'off'}, {len(kinds)} kinds."
        if address:
            words += " It is another address."
        audit_trail.note("alert.address_set", words, by=by, now=now, study=study)
    return HookSet(hook, new_secret)


def _set_address(hook: AlertHook, address: str) -> None:
    if not address and hook.pk:
        return
    try:
        read_target(address)
    except Undeliverable as problem:
        raise RuleBroken("address", str(problem)) from None
    hook.address = address


def remove_hook(*, study: Study, by: User, now: datetime) -> None:
    """Forget the study's address. What waits to be posted goes with it."""
    with transaction.atomic():
        if AlertHook.objects.filter(study=study).delete()[0]:
            audit_trail.note("alert.address_removed", "The address was removed.", by=by, now=now, study=study)


def mark_seen(*, user: User, now: datetime) -> int:
    """Mark everything that the person was told as seen."""
    return Alert.objects.filter(user=user, seen_at=None).update(seen_at=now)
