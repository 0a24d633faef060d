"""The address that the worker's frame opens: the requester's own, with what the API promises appended."""

from urllib.parse import parse_qsl, urlencode, urlsplit

from django.conf import settings

from crowd.marketplace import seals
from crowd.marketplace.models import HIT, Assignment

NOT_AVAILABLE = "ASSIGNMENT_ID_NOT_AVAILABLE"


def preview_url(hit: HIT) -> str:
    return _append(
        hit.external_url,
        assignmentId=NOT_AVAILABLE,
        hitId=hit.external_id,
        turkSubmitTo=settings.MARKETPLACE_URL,
    )


def work_url(assignment: Assignment) -> str:
    """With the ticket, which proves to the requester what the bare parameters only claim."""
    return _append(
        assignment.hit.external_url,
        assignmentId=assignment.external_id,
        hitId=assignment.hit.external_id,
        workerId=assignment.worker.external_id,
        turkSubmitTo=submit_to(assignment),
        ticket=ticket(assignment),
    )


def ticket(assignment: Assignment) -> str:
    payload = {
        "hit": assignment.hit.external_id,
        "assignment": assignment.external_id,
        "worker": assignment.worker.external_id,
        "attempt": assignment.attempt,
        "accepted": assignment.accepted_at.timestamp(),
        "expires": assignment.deadline_at.timestamp(),
    }
    return seals.sign_ticket(payload, key=assignment.hit.requester.ticket_key)


def submit_to(assignment: Assignment) -> str:
    """A path that only this attempt's frame knows; "/mturk/externalSubmit" follows it."""
    signed = seals.sign_submit({"assignment": assignment.external_id})
    return f"{settings.MARKETPLACE_URL}/submit/{signed}"


def origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _append(url: str, **parameters: str) -> str:
    parts = urlsplit(url)
    query = urlencode([*parse_qsl(parts.query, keep_blank_values=True), *parameters.items()])
    return parts._replace(query=query).geturl()
