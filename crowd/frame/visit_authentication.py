"""Verification of visits. The frame's parameters are only claims until a ticket or a token proves them."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.core import signing
from django.db.models import UUIDField
from django.http import QueryDict
from django.utils.translation import gettext as _

from crowd.frame import asked_visits
from crowd.frame.visit_problems import AGAIN, Expired, NoSuchHIT, Unreadable, UnverifiedVisit
from hits.common.kept_queries import Given, KeptQuery, given_id
from hits.core import crypto
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT

NOT_AVAILABLE = "ASSIGNMENT_ID_NOT_AVAILABLE"
# The purposes of a token: work, or the questions before it.
WORK, CONSENT = "work", "consent"
SHOWN = KeptQuery(
    lambda: HIT.objects.filter(public_id=Given("hit", UUIDField())).select_related(
        "batch__account", "batch__study"
    )
)
AT_WORK = KeptQuery(
    lambda: Assignment.objects.filter(
        public_id=Given("assignment", UUIDField()),
        worker__public_id=Given("worker", UUIDField()),
        hit=given_id("hit"),
    ).select_related("worker")
)


@dataclass(frozen=True, kw_only=True)
class Visit:
    """A worker at work on an accepted HIT, as far as it can be verified."""

    hit: HIT
    assignment_id: str
    worker_id: str
    submit_to: str
    accepted_at: datetime | None
    deadline_at: datetime

    @property
    def is_proven(self) -> bool:
        """Whether a ticket was signed for the visit. Without one it is a claim."""
        return self.accepted_at is not None

    @property
    def worker_index(self) -> str:
        """Blind index that finds the worker's row, if there is one."""
        return crypto.blind_index(str(self.hit.batch.account.public_id), self.worker_id)


def find_hit(public_id: UUID) -> HIT:
    hit = SHOWN.first(hit=public_id)
    if not hit:
        raise NoSuchHIT(_("It may have been withdrawn. Please return it, and choose other work."))
    return hit


def is_preview(hit: HIT, query: QueryDict) -> bool:
    if hit.batch.account.can.verifies_visits:
        return asked_visits.SESSION not in query
    return query.get("assignmentId", NOT_AVAILABLE) == NOT_AVAILABLE


def read_visit(*, hit: HIT, query: QueryDict, now: datetime) -> Visit:
    """Read and verify a visit. Raises Distrusted or Expired.

    Some platforms repeat the worker's id, separated by a comma.
    """
    if hit.batch.account.can.verifies_visits:
        return _read_asked(hit=hit, query=query, now=now)
    claims = {name: query.get(name, "") for name in ("assignmentId", "hitId", "turkSubmitTo")}
    claims["workerId"] = query.get("workerId", "").partition(",")[0]
    if missing := [name for name, value in claims.items() if not value]:
        raise UnverifiedVisit(_("The address lacks %(names)s.") % {"names": ", ".join(missing)}, AGAIN)
    identifiers = hit.batch.account.can.identifiers
    if not all(re.fullmatch(identifiers, claims[name]) for name in ("assignmentId", "hitId", "workerId")):
        raise UnverifiedVisit(_("The address holds something that is no identifier."), AGAIN)
    if hit.external_id and claims["hitId"] != hit.external_id:
        raise UnverifiedVisit(_("The address belongs to other work."), AGAIN)
    if not is_worker_site(hit, claims["turkSubmitTo"]):
        raise UnverifiedVisit(
            _("The address asks to send the answer to a site that we do not know. Nothing is sent there.")
        )
    accepted_at, deadline_at = _read_times(hit, query.get("ticket", ""), claims, now=now)
    return Visit(
        hit=hit,
        assignment_id=claims["assignmentId"],
        worker_id=claims["workerId"],
        submit_to=claims["turkSubmitTo"].rstrip("/"),
        accepted_at=accepted_at,
        deadline_at=deadline_at,
    )


def _read_asked(*, hit: HIT, query: QueryDict, now: datetime) -> Visit:
    found = asked_visits.read_asked(hit=hit, query=query, now=now)
    return Visit(
        hit=hit,
        assignment_id=found.external_id,
        worker_id=found.worker_external_id,
        submit_to=hit.batch.account.worker_site.rstrip("/"),
        accepted_at=found.accepted_at,
        deadline_at=asked_visits.deadline_of(found, hit=hit),
    )


def is_worker_site(hit: HIT, url: str) -> bool:
    """Whether the address is on the account's worker site: the parameter can be forged."""
    ours = urlsplit(hit.batch.account.worker_site)
    try:
        theirs = urlsplit(url)
    except ValueError:
        return False
    return (ours.scheme, ours.netloc) == (theirs.scheme, theirs.netloc)


def write_token(*, assignment: Assignment, submit_to: str, purpose: str = WORK) -> str:
    return crypto.sign_page(
        {
            "for": purpose,
            "assignment": str(assignment.public_id),
            "hit": str(assignment.hit.public_id),
            "worker": str(assignment.worker.public_id),
            "submit_to": submit_to,
            "expires": assignment.deadline_at.timestamp(),
        }
    )


def read_token(token: str, *, hit: HIT, now: datetime, purpose: str = WORK) -> tuple[Assignment, str]:
    """The assignment that this page was rendered for, and where its answer is submitted afterwards.

    Raises Unreadable, Distrusted or Expired.
    """
    try:
        payload = crypto.read_page(token)
    except signing.BadSignature:
        raise Unreadable(_("Nothing was recorded."), AGAIN) from None
    if payload["hit"] != str(hit.public_id):
        raise UnverifiedVisit(_("The token belongs to other work. Nothing was recorded."), AGAIN)
    # Tokens of the release before name no purpose, and were for work.
    if payload.get("for", WORK) != purpose:
        raise UnverifiedVisit(_("The token belongs to another page. Nothing was recorded."), AGAIN)
    if now.timestamp() >= payload["expires"]:
        raise Expired(_("Nothing was recorded. The work is given to others."))
    assignment = AT_WORK.first(assignment=payload["assignment"], worker=payload["worker"], hit=hit.pk)
    if not assignment:
        raise UnverifiedVisit(_("The token belongs to work that does not exist."), AGAIN)
    assignment.hit, assignment.account = hit, hit.batch.account  # read already
    return assignment, payload["submit_to"]


def _read_times(
    hit: HIT, ticket: str, claims: dict[str, str], *, now: datetime
) -> tuple[datetime | None, datetime]:
    """Times of acceptance and deadline, by the ticket. Without a key for tickets the first is not known."""
    account = hit.batch.account
    if not account.ticket_key:
        return None, now + timedelta(seconds=hit.batch.duration_s)
    payload = _read_ticket(ticket, key=account.ticket_key)
    signed = (payload["assignment"], payload["hit"], payload["worker"])
    if signed != (claims["assignmentId"], claims["hitId"], claims["workerId"]):
        raise UnverifiedVisit(_("The ticket belongs to other work."), AGAIN)
    deadline_at = datetime.fromtimestamp(payload["expires"], tz=UTC)
    if now >= deadline_at:
        raise Expired(_("The work is given to others. Nothing you do here counts any more."))
    return datetime.fromtimestamp(payload["accepted"], tz=UTC), deadline_at


def _read_ticket(ticket: str, *, key: str) -> dict[str, Any]:
    try:
        return crypto.read_ticket(ticket, key=key)
    except signing.BadSignature:
        raise UnverifiedVisit(_("The address carries no valid ticket."), AGAIN) from None
