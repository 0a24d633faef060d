"""What workers hold of gates. Each change is written to the row first; a sweep tells the provider.

Lock order: attempt, then holding.
"""

import unicodedata
from datetime import datetime

import structlog
from django.db import transaction

from hits.core import audit_trail
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from qualifications.models import Attempt, Gate, Holding

LONGEST = 500
Value = Holding.Value
log = structlog.get_logger()


def set_value(*, gate: Gate, worker: Worker, value: int | None, reason: str = "", now: datetime) -> Holding:
    """Set the value of a worker. Idempotent.

    An earlier revocation, or a decision by hand, no longer counts.
    """
    return _write(gate=gate, worker=worker, value=value, reason=reason, now=now)


def note_value(*, gate: Gate, worker: Worker, value: int | None, now: datetime) -> Holding:
    """Record a value that the provider itself has decided: there is nothing to tell it."""
    return _write(gate=gate, worker=worker, value=value, reason="", now=now, is_told=True)


def take_back(
    *, gate: Gate, worker: Worker, reason: str, now: datetime, since: datetime | None = None
) -> bool:
    """Revoke by rule, with a reason for the worker; False if it is not held.

    `since` is a compare and swap: a value that has changed since it was read stays.
    """
    with transaction.atomic():
        held = lock_holding(gate=gate, worker=worker, now=now)
        if not held.is_held or (since is not None and held.changed_at != since):
            return False
        _write(gate=gate, worker=worker, value=Value.TRIED, reason=reason, now=now, revoked_at=now)
    return True


def give(*, gate: Gate, worker: Worker, by: User, reason: str, now: datetime) -> Holding:
    """Give by hand, whatever the tests say. Raises RuleBroken, changing nothing, if it is held already."""
    words = check_words(reason)
    with transaction.atomic():
        if lock_holding(gate=gate, worker=worker, now=now).is_held:
            raise RuleBroken("held_already", "Nothing was changed: this worker holds it already.")
        given = _write(gate=gate, worker=worker, value=Value.PASSED, reason="", now=now, by=by)
        _audit("given", given, words, by=by, now=now)
    return given


def revoke(*, gate: Gate, worker: Worker, by: User, reason: str, now: datetime) -> Holding:
    """Revoke by hand; only a person can undo it, as no retest opens. The worker reads the reason.

    Raises RuleBroken, changing nothing, if it is not held.
    """
    words = check_words(reason)
    with transaction.atomic():
        if not lock_holding(gate=gate, worker=worker, now=now).is_held:
            raise RuleBroken("not_held", "Nothing was changed: this worker does not hold it.")
        revoked = _write(
            gate=gate, worker=worker, value=Value.TRIED, reason=words, now=now, revoked_at=now, by=by
        )
        _audit("revoked", revoked, words, by=by, now=now)
    return revoked


def let_try_again(*, gate: Gate, worker: Worker, by: User, reason: str, now: datetime) -> Holding:
    """Reset to untried, for tests that something outside the worker's power has spoiled.

    Raises RuleBroken, changing nothing, if the worker may try already, holds it, or has a test that waits for
    its grade.
    """
    words = check_words(reason)
    with transaction.atomic():
        held = lock_holding(gate=gate, worker=worker, now=now)
        live = Attempt.objects.filter(gate=gate, worker=worker, status=Attempt.Status.WAITING)
        if held.value != Value.TRIED:
            raise RuleBroken("not_tried", "Nothing was changed: this worker may try already, or holds it.")
        if live.exists():
            raise RuleBroken("test_waiting", "Nothing was changed: a test of this worker waits to be graded.")
        cleared = _write(gate=gate, worker=worker, value=None, reason="", now=now)
        _audit("cleared", cleared, words, by=by, now=now)
    return cleared


def lock_holding(*, gate: Gate, worker: Worker, now: datetime) -> Holding:
    """Lock the holding; the caller holds a transaction. A row made here has no value and nothing to tell."""
    Holding.objects.get_or_create(
        gate=gate, worker=worker, defaults={"changed_at": now, "is_told": True, "value": None}
    )
    rows = Holding.objects.select_related("gate", "worker__account")
    return rows.select_for_update(of=("self",), no_key=True).get(gate=gate, worker=worker)


def check_words(words: str) -> str:
    """Return the stripped reason. Raises RuleBroken if it is empty, too long or more than one line."""
    words = words.strip()
    if not words:
        raise RuleBroken("no_reason", "Say why, in a sentence.")
    if len(words) > LONGEST:
        raise RuleBroken("bad_reason", f"A reason has at most {LONGEST} characters; shorten it.")
    if any(unicodedata.category(character) == "Cc" for character in words):
        raise RuleBroken("bad_reason", "A reason is one line: take line breaks and control characters out.")
    return words


def _write(
    *,
    gate: Gate,
    worker: Worker,
    value: int | None,
    reason: str,
    now: datetime,
    revoked_at: datetime | None = None,
    by: User | None = None,
    is_told: bool = False,
) -> Holding:
    with transaction.atomic():
        held = lock_holding(gate=gate, worker=worker, now=now)
        wanted = (value, reason, revoked_at, by.pk if by else None)
        if (held.value, held.reason, held.revoked_at, held.by_id) == wanted:
            return held
        if held.value != value:
            held.changed_at = now
            # Accounts without a provider have nobody to tell.
            held.is_told = is_told or not worker.account.can.is_connected
            held.problem = ""
        held.value, held.reason, held.revoked_at, held.by = value, reason, revoked_at, by
        held.save(update_fields=["value", "reason", "revoked_at", "by", "changed_at", "is_told", "problem"])
    log.info("holding.changed", gate=str(gate.public_id), worker=worker.pseudonym, value=value)
    return held


def _audit(verb: str, held: Holding, words: str, *, by: User, now: datetime) -> None:
    said = f"“{held.gate.name}” of {held.worker} was {verb}: {words}"
    audit_trail.note(f"qualification.{verb}", said, by=by, now=now, study=held.gate.study)
