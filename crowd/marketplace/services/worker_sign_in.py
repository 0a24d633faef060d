"""Workers, their invitations and their sessions."""

from datetime import datetime, timedelta

from django.db.models import CharField
from django.utils.translation import gettext as _

from crowd.marketplace import seals
from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RuleBroken
from crowd.marketplace.models.parties import Invitation, Worker, WorkerSession
from hits.common.kept_queries import NOW, Given, KeptQuery

INVITATION_LIFE = timedelta(days=30)
SESSION_LIFE = timedelta(days=14)
SIGNED_IN = KeptQuery(
    lambda: Worker.objects.filter(
        sessions__token_digest=Given("token_digest", CharField()),
        sessions__expires_at__gt=NOW,
        erased_at=None,
    )
)


def invite_worker(*, name: str, now: datetime) -> tuple[Worker, str]:
    """Make a worker; return the worker and the token of the invitation link."""
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
        .filter(token_digest=seals.digest(token), expires_at__gt=now, worker__erased_at=None)
        .first()
    )


def sign_in(*, worker: Worker, now: datetime) -> str:
    """The token for the browser's cookie: a new session every time. Raises RuleBroken if erased."""
    token, token_digest = seals.new_bearer()
    with atomic():
        if Worker.objects.select_for_update(no_key=True).get(pk=worker.pk).erased_at:
            raise RuleBroken(_("This account was erased. It can no longer be used to sign in."))
        worker.sessions.filter(expires_at__lte=now).delete()
        WorkerSession.objects.create(
            worker=worker, token_digest=token_digest, created_at=now, expires_at=now + SESSION_LIFE
        )
    return token


def find_session_worker(*, token: str, now: datetime) -> Worker | None:
    return SIGNED_IN.first(token_digest=seals.digest(token), now=now)


def sign_out(*, token: str) -> None:
    WorkerSession.objects.filter(token_digest=seals.digest(token)).delete()
