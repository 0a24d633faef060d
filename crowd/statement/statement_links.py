"""Links to statements: the holder of a valid link that we signed for a worker may read the statement.

The token is in the path: it can be reloaded and gone back to without a cookie, and our own log records
routes, never paths.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.urls import reverse

from hits.core.errors import CrowdError
from hits.identity.models.workers import Worker
from hits.providers.models.accounts import Account
from hits.review.services import appeal_handling
from hits.studies.models import Study
from hits.work.models.assignments import Assignment

SALT = "crowd.statement"
LASTS = timedelta(hours=12)
# A link in the provider's feedback opens one piece of work, until the last question about it is answered.
WORK_LASTS = appeal_handling.WITHIN + timedelta(days=30)
# Where no visit is proven, only the provider's report of submitted work proves whose it is.
CONFIRMED = (Assignment.Status.SUBMITTED, Assignment.Status.APPROVED, Assignment.Status.REJECTED)


class Unknown(CrowdError):
    """Raised if the link was not signed by us, or its worker or study does not exist."""


class LinkExpired(CrowdError):
    """Raised for a link of ours that is too old. `language` is that of the study the worker came from."""

    def __init__(self, *, language: str) -> None:
        super().__init__("The link is too old.")
        self.language = language


@dataclass(frozen=True, kw_only=True)
class Link:
    """A link that was read; its study gives the page its language and time zone."""

    token: str
    worker: Worker
    study: Study
    # The one piece of work that the link opens, until this instant; None: all of the worker's.
    work_id: UUID | None = None
    until: datetime | None = None


def proves_visits(account: Account) -> bool:
    """Whether work is opened only for the worker whose it is, by a ticket or by the provider's word."""
    return bool(account.ticket_key) or account.can.verifies_visits


def is_proven(assignment: Assignment) -> bool:
    """Whether the person who sees the frame of this work is surely its worker."""
    return proves_visits(assignment.hit.batch.account) or assignment.status in CONFIRMED


def write_token(*, assignment: Assignment, now: datetime) -> str:
    """Sign a link for the worker of this assignment; the caller has checked is_proven."""
    return write_token_for(worker=assignment.worker, study=assignment.hit.batch.study, now=now)


def write_token_for(*, worker: Worker, study: Study, now: datetime) -> str:
    """Sign a link for this worker; the caller knows, by a ticket, that this worker is the reader."""
    payload = {
        "worker": str(worker.public_id),
        "study": str(study.public_id),
        "expires": int((now + LASTS).timestamp()),
    }
    return signing.dumps(payload, key=settings.TOKEN_KEYS[0], salt=SALT)


def address_of_work(assignment: Assignment) -> str:
    """Return an address that opens this work alone, for as long as a worker may ask about it and is answered.

    The provider shows it with the work, and so to nobody but its worker.
    """
    begins = assignment.submitted_at or assignment.opened_at
    expires = int((begins + WORK_LASTS).timestamp())
    payload = {"work": str(assignment.public_id), "expires": expires}
    token = signing.dumps(payload, key=settings.TOKEN_KEYS[0], salt=SALT)
    return f"{settings.PUBLIC_URL}{reverse('statement:pay', args=[token])}"


def read_token(token: str, *, now: datetime) -> Link:
    """Read a link. Raises Unknown or LinkExpired."""
    payload = _read(token)
    return _read_work(token, payload, now=now) if "work" in payload else _read_all(token, payload, now=now)


def _read_work(token: str, payload: dict[str, Any], *, now: datetime) -> Link:
    related = Assignment.objects.select_related("worker__account", "hit__batch__study").defer("answer")
    work = related.filter(public_id=payload["work"]).first()
    if work is None:
        raise Unknown("There is no such work.")
    study = work.hit.batch.study
    if now.timestamp() >= payload["expires"]:
        raise LinkExpired(language=study.language)
    until = datetime.fromtimestamp(payload["expires"], tz=UTC)
    return Link(token=token, worker=work.worker, study=study, work_id=work.public_id, until=until)


def _read_all(token: str, payload: dict[str, Any], *, now: datetime) -> Link:
    study = Study.objects.filter(public_id=payload["study"]).first()
    if study is None:
        raise Unknown("There is no such study.")
    if now.timestamp() >= payload["expires"]:
        raise LinkExpired(language=study.language)
    worker = Worker.objects.select_related("account").filter(public_id=payload["worker"]).first()
    if worker is None:
        raise Unknown("There is no such worker.")
    return Link(token=token, worker=worker, study=study)


def _read(token: str) -> dict[str, Any]:
    first: str = settings.TOKEN_KEYS[0]
    others: list[str | bytes] = [*settings.TOKEN_KEYS[1:]]
    try:
        payload: dict[str, Any] = signing.loads(token, key=first, fallback_keys=others, salt=SALT)
    except signing.BadSignature:
        raise Unknown("The link was not signed by us.") from None
    return payload
