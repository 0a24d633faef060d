"""Requesters, their keys, their money and their layouts."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from crowd.marketplace import domain, seals
from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RequestError, RuleBroken
from crowd.marketplace.models import HIT, Layout
from crowd.marketplace.models.parties import AccessKey, Requester
from crowd.marketplace.services import hit_endings, money
from hits.common.currencies import in_dollars

LONGEST_LAYOUT = 65_535  # bytes, as of any question


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """A new requester's credentials, shown once."""

    requester: Requester
    access_key_id: str
    secret_access_key: str
    ticket_key: str


@dataclass(frozen=True, kw_only=True)
class NewKey:
    """A new key and its secret, shown once."""

    access_key_id: str
    secret_access_key: str


def create_requester(
    *, name: str, deposit: Decimal, fee_schedule: str, now: datetime, note: str = ""
) -> Credentials:
    """Make a requester with a key. Raises RuleBroken if the name is taken, ValueError for unknown fees."""
    domain.fee_schedule(fee_schedule)
    ticket_key = secrets.token_urlsafe(32)
    with atomic():
        requester, is_new = Requester.objects.get_or_create(
            name=name,
            defaults={
                "fee_schedule": fee_schedule,
                "ticket_key_sealed": seals.seal(ticket_key),
                "created_at": now,
            },
        )
        if not is_new:
            raise RuleBroken(f"There is a requester named {name} already.")
        key = _make_key(requester, now=now)
        if deposit:
            money.deposit(requester_id=requester.pk, amount=deposit, now=now, subject=note or "deposit")
    return Credentials(
        requester=requester,
        access_key_id=key.access_key_id,
        secret_access_key=key.secret_access_key,
        ticket_key=ticket_key,
    )


def add_key(*, requester_id: int, now: datetime) -> NewKey:
    """Add a key. Older keys work until they are revoked."""
    with atomic():
        return _make_key(_lock_open(requester_id), now=now)


def revoke_key(*, key: AccessKey, now: datetime) -> None:
    AccessKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=now)


def renew_ticket_key(*, requester_id: int) -> str:
    """Replace the ticket key. Pages that know only the old one will refuse our tickets."""
    ticket_key = secrets.token_urlsafe(32)
    with atomic():
        requester = _lock_open(requester_id)
        requester.ticket_key_sealed = seals.seal(ticket_key)
        requester.save(update_fields=["ticket_key_sealed"])
    return ticket_key


def rename_requester(*, requester_id: int, name: str) -> None:
    """Rename an open requester, on work and letters of before too. Raises RuleBroken if the name is taken."""
    with atomic():
        requester = _lock_open(requester_id)
        if Requester.objects.filter(name=name).exclude(pk=requester_id).exists():
            raise RuleBroken(f"There is a requester named {name} already.")
        requester.name = name
        requester.save(update_fields=["name"])


def set_fees(*, requester_id: int, fee_schedule: str) -> None:
    """Set the fees of HITs and bonuses from now on; money reserved before keeps its fee."""
    domain.fee_schedule(fee_schedule)
    Requester.objects.filter(pk=requester_id).update(fee_schedule=fee_schedule)


def deposit(*, requester_id: int, amount: Decimal, note: str, now: datetime) -> None:
    with atomic():
        _lock_open(requester_id)
        money.deposit(requester_id=requester_id, amount=amount, now=now, subject=note or "deposit")


def withdraw(*, requester_id: int, amount: Decimal, note: str, now: datetime) -> None:
    """Withdraw money, also for a closed requester: the rest is the requester's. Raises RuleBroken."""
    with atomic():
        try:
            money.withdraw(requester_id=requester_id, amount=amount, now=now, subject=note or "withdrawal")
        except RequestError:
            free = Requester.objects.get(pk=requester_id).available
            raise RuleBroken(
                f"{in_dollars(amount)} cannot be withdrawn: {in_dollars(free)} are available."
            ) from None


def close_requester(*, requester_id: int, now: datetime) -> int:
    """Close a requester: revoke all keys, and take its HITs off offer. Return how many those were.

    HITs are locked before requesters, so a HIT that is posted meanwhile is found by a second look.
    """
    hits = HIT.objects.filter(requester=requester_id)
    with atomic():
        taken_down = hit_endings.take_down(hits, now=now)
        Requester.objects.filter(pk=requester_id, closed_at=None).update(closed_at=now)
        AccessKey.objects.filter(requester_id=requester_id, revoked_at=None).update(revoked_at=now)
        return taken_down + hit_endings.take_down(hits, now=now)


def save_layout(*, requester_id: int, name: str, html: str, frame_height: int, now: datetime) -> Layout:
    """Save a layout. One of that name is replaced and keeps its id; posted HITs keep their page."""
    if len(html.encode()) > LONGEST_LAYOUT:
        raise RuleBroken(
            f"A layout has at most {LONGEST_LAYOUT:,} bytes; this one has {len(html.encode()):,}."
        )
    with atomic():
        requester = _lock_open(requester_id)
        layout, _ = Layout.objects.update_or_create(
            requester=requester,
            name=name,
            defaults={"html": html, "frame_height": frame_height},
            create_defaults={"html": html, "frame_height": frame_height, "created_at": now},
        )
    return layout


def _make_key(requester: Requester, *, now: datetime) -> NewKey:
    key = NewKey(
        access_key_id=domain.new_id(length=20, prefix="CROWD"), secret_access_key=secrets.token_urlsafe(30)
    )
    AccessKey.objects.create(
        requester=requester,
        access_key_id=key.access_key_id,
        secret_sealed=seals.seal(key.secret_access_key),
        created_at=now,
    )
    return key


def _lock_open(requester_id: int) -> Requester:
    requester = Requester.objects.select_for_update(no_key=True).get(pk=requester_id)
    if requester.closed_at:
        raise RuleBroken(f"{requester} is closed.")
    return requester
