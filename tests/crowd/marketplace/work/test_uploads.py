"""GetFileUploadURL: the requester downloads the worker's file, for a minute."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from crowd.marketplace import clock, frames
from crowd.marketplace.models import Assignment, ClockShift, Upload
from crowd.marketplace.services.requesters import Credentials
from tests.conftest import Sites
from tests.crowd.marketplace.api import Refusal, client_of, refused
from tests.crowd.marketplace.forms import FILE, form, question
from tests.crowd.marketplace.rows import accept, post_hit
from tests.crowd.marketplace.site import stranger
from tests.factories import make_requester

pytestmark = pytest.mark.django_db(transaction=True)

CONTENT = b"<script>alert(1)</script>\0\xff"


def accepted_form(credentials: Credentials) -> Assignment:
    xml = form(question(FILE, identifier="cv"), question(identifier="text"))
    hit = post_hit(requester=credentials.requester, question=xml, now=timezone.now())
    return accept(hit, now=timezone.now())


def handed_in(credentials: Credentials, *, name: str = "cv.html") -> Assignment:
    """Submit a form with a file that no browser may show as a page."""
    assignment = accepted_form(credentials)
    path = f"{urlsplit(frames.submit_to(assignment)).path}/mturk/externalSubmit"
    file = SimpleUploadedFile(name, CONTENT, content_type="text/html")
    fields = {"assignmentId": assignment.external_id, "q0": file, "q1": "hello"}
    assert stranger().post(path, fields).status_code == 200
    return assignment


def download(url: str) -> Any:
    parts = urlsplit(url)
    return Client(HTTP_HOST=parts.netloc).get(parts.path)


def test_file_of_an_answer_is_downloaded_by_a_program_that_knows_the_endpoint_alone(
    sites: Sites, credentials: Credentials
) -> None:
    assignment = handed_in(credentials)

    url = client_of(sites, credentials).get_file_upload_url(
        AssignmentId=assignment.external_id, QuestionIdentifier="cv"
    )["FileUploadURL"]

    assert frames.origin(url) == sites.marketplace
    response = download(url)
    assert (response.status_code, response.content) == (200, CONTENT)
    assert {name: response[name] for name in ("Content-Type", "Content-Disposition", "Cache-Control")} == {
        "Content-Type": "application/octet-stream",
        "Content-Disposition": 'attachment; filename="cv.html"',
        "Cache-Control": "no-store",
    }
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert response.cookies.output() == ""


def test_file_name_cannot_break_out_of_its_header(credentials: Credentials) -> None:
    handed_in(credentials, name="ä';filename=\"x.exe.html")

    response = download(frames.file_url(Upload.objects.get(), now=clock.now()))

    assert response["Content-Disposition"] == (
        "attachment; filename*=utf-8''%C3%A4%27%3Bfilename%3Dx.exe.html"
    )


def test_file_address_is_good_for_a_minute(credentials: Credentials, settings: Any) -> None:
    settings.MARKETPLACE_CONTROL_KEY = "control"
    handed_in(credentials)
    url = frames.file_url(Upload.objects.get(), now=clock.now())

    assert download(url).status_code == 200
    ClockShift.objects.create(ahead=timedelta(seconds=61))
    assert download(url).status_code == 404


def test_file_is_refused_where_there_is_none(sites: Sites, credentials: Credentials) -> None:
    client = client_of(sites, credentials)
    done, still_open = handed_in(credentials), accepted_form(credentials)
    stranger_client = client_of(sites, make_requester(now=timezone.now()))

    def refusal(who: Any, assignment: str, name: str) -> Refusal:
        return refused(who.get_file_upload_url, AssignmentId=assignment, QuestionIdentifier=name)

    missing = Refusal(code="AssignmentDoesNotExist")
    no_file = Refusal(kind="ParameterValidationError")
    assert refusal(client, "NOSUCH", "cv") == missing
    assert refusal(stranger_client, done.external_id, "cv") == missing
    assert refusal(client, still_open.external_id, "cv") == Refusal(code="InvalidAssignmentState")
    assert refusal(client, done.external_id, "text") == no_file
    assert refusal(client, done.external_id, "nothing") == no_file
