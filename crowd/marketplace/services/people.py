"""Requesters and their keys, workers and how they get in."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from crowd.marketplace import domain, seals
from crowd.marketplace.database import atomic
from crowd.marketplace.models import AccessKey, Invitation, Requester, Worker, WorkerSession
from crowd.marketplace.services import money

INVITATION_LIFE = timedelta(days=30)
SESSION_LIFE = timedelta(days=14)


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """Shown once, at creation."""

    requester: Requester
    access_key_id: str
    secret_access_key: str
    ticket_key: str


def create_requester(*, name: str, deposit: Decimal, fee_schedule: str, now: datetime) -> Credentials:
    access_key_id, secret, ticket_key = (
        domain.new_id(length=20, prefix="CROWD"),
        secrets.token_urlsafe(30),
        secrets.token_urlsafe(32),
    )
    with atomic():
        requester = Requester.objects.create(
            name=name,
            fee_schedule=fee_schedule,
            ticket_key_sealed=seals.seal(ticket_key),
            created_at=now,
        )
        AccessKey.objects.create(
            requester=requester,
            access_key_id=access_key_id,
            secret_sealed=seals.seal(secret),
            created_at=now,
        )
        if deposit:
            money.deposit(requester_id=requester.pk, amount=deposit, now=now)
    return Credentials(
        requester=requester,
        access_key_id=access_key_id,
        secret_access_key=secret,
        ticket_key=ticket_key,
    )


def invite_worker(*, name: str, now: datetime) -> tuple[Worker, str]:
    """A new worker and the token of the link that lets them in."""
    token, token_digest = seals.new_bearer()
    with atomic():
        worker = Worker.objects.create(name=name, created_at=now)
        Invitation.objects.create(
            worker=worker,
            token_digest=token_digest,
            created_at=now,
            expires_at=now + INVITATION_LIFE,
        )
    return worker, token


def find_invitation(*, token: str, now: datetime) -> Invitation | None:
    return (
        Invitation.objects.select_related("worker")
        .filter(token_digest=seals.digest(token), expires_at__gt=now)
        .first()
    )


def sign_in(*, worker: Worker, now: datetime) -> str:
    """The token for the browser's cookie."""
    token, token_digest = seals.new_bearer()
    WorkerSession.objects.create(
        worker=worker, token_digest=token_digest, created_at=now, expires_at=now + SESSION_LIFE
    )
    return token


def find_session_worker(*, token: str, now: datetime) -> Worker | None:
    session = (
        WorkerSession.objects.select_related("worker")
        .filter(token_digest=seals.digest(token), expires_at__gt=now)
        .first()
    )
    return session.worker if session else None


def sign_out(*, token: str) -> None:
    WorkerSession.objects.filter(token_digest=seals.digest(token)).delete()
