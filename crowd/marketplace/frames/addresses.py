"""The address that the worker's frame opens, with the parameters that the API promises appended.

An ExternalQuestion is the requester's own address; HTML and forms are on the content host, signed.
"""

from datetime import datetime, timedelta
from urllib.parse import urlencode, urlsplit

from django.conf import settings

from crowd.marketplace import seals
from crowd.marketplace.models import HIT, Assignment, QualificationRequest, Upload
from crowd.marketplace.models.parties import Requester

NOT_AVAILABLE = "ASSIGNMENT_ID_NOT_AVAILABLE"
SUBMIT_PATH = "/mturk/externalSubmit"
FILE_LIFE = timedelta(seconds=60)
INSPECTION_LIFE = timedelta(minutes=10)


def preview_url(hit: HIT) -> str:
    return _append(
        hit.external_url or _content_url(hit.requester, "hits", {"hit": hit.external_id}),
        assignmentId=NOT_AVAILABLE,
        hitId=hit.external_id,
        turkSubmitTo=settings.MARKETPLACE_URL,
    )


def inspection_url(hit: HIT, *, now: datetime, work: Assignment | None = None) -> str:
    """The address of the HIT, or of a worker's piece of it, for an operator who has to judge it.

    A page that knows nothing of inspections shows its preview: it is asked for no work, and gets no worker.
    """
    if not hit.external_url:
        return preview_url(hit)
    named = {
        "hit": hit.external_id,
        "assignment": work.external_id if work else "",
        "worker": work.worker.external_id if work else "",
        "expires": (now + INSPECTION_LIFE).timestamp(),
    }
    return _append(
        hit.external_url,
        assignmentId=NOT_AVAILABLE,
        hitId=hit.external_id,
        turkSubmitTo=settings.MARKETPLACE_URL,
        inspection=seals.sign_inspection(named, key=hit.requester.ticket_key),
    )


def work_url(assignment: Assignment) -> str:
    """The address of accepted work. Its ticket proves to the requester what the parameters only claim."""
    return _append(
        assignment.hit.external_url or _content_url(assignment.hit.requester, "work", _attempt(assignment)),
        assignmentId=assignment.external_id,
        hitId=assignment.hit.external_id,
        workerId=assignment.worker.external_id,
        turkSubmitTo=submit_to(assignment),
        ticket=ticket(assignment),
    )


def test_url(request: QualificationRequest) -> str:
    """The page of a qualification's test, for the worker who began it."""
    return _content_url(request.type.requester, "tests", {"test": request.external_id})


def file_url(upload: Upload, *, now: datetime) -> str:
    """An address of the file that works for one minute, for anyone who has it."""
    signed = seals.sign_link({"of": upload.pk}, purpose="file", until=now + FILE_LIFE)
    return f"{settings.MARKETPLACE_URL}/files/{signed}/"


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
    return f"{settings.MARKETPLACE_URL}/submit/{seals.sign_submit(_attempt(assignment))}"


def test_submit_url(request: QualificationRequest) -> str:
    signed = seals.sign_submit({"test": request.external_id})
    return f"{settings.MARKETPLACE_URL}/submit/test/{signed}"


def content_origin(requester: Requester) -> str:
    """The origin of this requester's own pages; where none are set up for each, all share one."""
    return settings.MARKETPLACE_CONTENT_URL.replace("*", requester.external_id.lower())


def origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _attempt(assignment: Assignment) -> dict[str, object]:
    """The ids of this attempt, with the row's: a later acceptance may bear the same external id."""
    return {"assignment": assignment.external_id, "row": assignment.pk}


def _content_url(requester: Requester, kind: str, payload: dict[str, object]) -> str:
    return f"{content_origin(requester)}/{kind}/{seals.sign_content(payload)}/"


def _append(url: str, **parameters: str) -> str:
    """Append parameters. The requester's own query stays as it is, to the letter: it may be signed."""
    parts = urlsplit(url)
    query = "&".join(part for part in (parts.query, urlencode(parameters)) if part)
    return parts._replace(query=query).geturl()
