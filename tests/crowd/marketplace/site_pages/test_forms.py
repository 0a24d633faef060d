"""A QuestionForm that a worker's browser sends is accepted, or shown again with its problems."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from crowd.marketplace import frames
from crowd.marketplace.frames.policies import SANDBOX
from crowd.marketplace.models import Assignment, Upload
from crowd.marketplace.questions import read_answers
from crowd.marketplace.services import work
from tests.crowd.marketplace.forms import FILE, form, free_text, question, selection
from tests.crowd.marketplace.rows import accept
from tests.crowd.marketplace.site import open_hit, stranger, text_of
from tests.pages import text_of as markup_of

pytestmark = pytest.mark.django_db

XML = form(
    question(free_text('<Length minLength="3"/>'), identifier="text", name="Words", required=True),
    question(selection("a", "b"), identifier="one", name="One"),
    question(FILE, identifier="file", name="File"),
)


@pytest.fixture
def assignment() -> Assignment:
    return accept(open_hit(question=XML), now=timezone.now())


def send(assignment: Assignment, **fields: Any) -> Any:
    return post(frames.submit_to(assignment), {"assignmentId": assignment.external_id, **fields})


def post(submit_to: str, fields: dict[str, Any]) -> Any:
    return stranger(enforce_csrf_checks=True).post(f"{urlsplit(submit_to).path}/mturk/externalSubmit", fields)


def untouched(assignment: Assignment) -> bool:
    assignment.refresh_from_db()
    unchanged = (assignment.status, assignment.answer, assignment.submitted_at) == ("Accepted", "", None)
    return unchanged and not Upload.objects.exists()


def file(size: int = 10, name: str = "cv.pdf") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, b"x" * size)


def test_form_that_is_right_is_handed_in_with_its_file(assignment: Assignment) -> None:
    response = send(assignment, q0="hello", q1="1", q2=file())

    assert (response.status_code, "Submitted" in text_of(response)) == (200, True)
    assignment.refresh_from_db()
    assert assignment.status == "Submitted"
    assert read_answers(assignment.answer) == {"text": {"hello"}, "one": {"b"}, "file": frozenset()}
    assert f"<UploadedFileKey>{assignment.external_id}/file/cv.pdf</UploadedFileKey>" in assignment.answer
    [upload] = Upload.objects.all()
    assert (upload.assignment, upload.question, upload.name) == (assignment, "file", "cv.pdf")
    assert bytes(upload.content) == b"x" * 10


def test_form_with_problems_is_shown_again_as_it_was_filled_in(assignment: Assignment) -> None:
    response = send(assignment, q0='"h', q1="1", q2=file(size=1))

    html = markup_of(response)
    assert response.status_code == 422
    assert 'value="&quot;h"' in html
    assert 'value="1" checked' in html
    assert html.count('role="alert"') == 2
    assert "Write at least 3 characters; these are 2." in text_of(response)
    assert "Choose a file of at least 2 bytes." in text_of(response)
    assert untouched(assignment)


def test_form_shown_again_keeps_its_sandbox_on_the_worker_site(assignment: Assignment) -> None:
    response = send(assignment)

    assert response["Content-Security-Policy"].endswith(f"sandbox {' '.join(SANDBOX)}")
    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert response["Cache-Control"] == "no-store"
    assert response.cookies.output() == ""


def test_form_of_a_preview_is_refused(assignment: Assignment) -> None:
    fields = {"assignmentId": frames.NOT_AVAILABLE, "q0": "hello"}

    answers = [post(frames.submit_to(assignment), fields), stranger().post("/mturk/externalSubmit", fields)]

    assert [answer.status_code for answer in answers] == [409, 409]
    assert untouched(assignment)


def test_form_twice_keeps_the_first_answer_and_its_file(assignment: Assignment) -> None:
    send(assignment, q0="first", q2=file())

    answers = [send(assignment, q0="second", q2=file(size=20)), send(assignment, q0="")]

    assert [answer.status_code for answer in answers] == [409, 409]
    assignment.refresh_from_db()
    assert read_answers(assignment.answer)["text"] == {"first"}
    assert [len(upload.content) for upload in Upload.objects.all()] == [10]


def test_form_of_an_earlier_attempt_does_not_reach_the_next_one(assignment: Assignment) -> None:
    work.return_assignment(assignment=assignment, now=timezone.now())
    later = accept(assignment.hit, now=timezone.now())
    assert later.external_id == assignment.external_id

    response = send(assignment, q0="hello")

    assert response.status_code == 409
    assert untouched(later)
    assert send(later, q0="hello").status_code == 200


def test_form_with_a_file_beyond_the_bound_is_shown_again() -> None:
    largest = FILE.replace("1000", "2000000000")
    assignment = accept(open_hit(question=form(question(largest))), now=timezone.now())

    response = send(assignment, q0=file(size=2_000_001))

    assert response.status_code == 422
    assert "A file of at most 1.9 MB." in text_of(response)
    assert untouched(assignment)


def test_body_beyond_every_bound_is_refused_before_it_is_read(assignment: Assignment) -> None:
    url = urlsplit(frames.submit_to(assignment))
    path = f"{url.path}/mturk/externalSubmit"

    response = stranger().post(path, {"assignmentId": assignment.external_id}, CONTENT_LENGTH="50000000")

    assert response.status_code == 409
    assert untouched(assignment)


HOSTILE_FIELDS: list[dict[str, Any]] = [
    {"q0": "\0\ud83d"[:1] * 5},
    {"q0": "a" * 200_000, "q1": ["0"] * 100},
    {"q1": ["-1", "9" * 400, "other", "²"], "q0": "hello"},
    {"q0": file(), "q2": "not a file"},
    {"q2": file(name="../../x\0y.exe"), "q0": "hello"},
    {f"f{number}": "x" for number in range(900)},
]


@pytest.mark.parametrize("fields", HOSTILE_FIELDS)
def test_form_with_anything_in_its_fields_is_answered(assignment: Assignment, fields: dict[str, Any]) -> None:
    assert send(assignment, **fields).status_code in (200, 422)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"q0=%ff%fe%00&assignmentId=x", "application/x-www-form-urlencoded"),
        (b"q0=hello", "application/x-www-form-urlencoded; charset=utf-16"),
        (b"q0=hello", "application/x-www-form-urlencoded; charset=no-such"),
        (b"--x\r\nbroken", "multipart/form-data; boundary=x"),
        (b"", "multipart/form-data"),
        (b"{}", "application/json"),
    ],
)
def test_form_with_a_broken_body_is_refused(assignment: Assignment, body: bytes, kind: str) -> None:
    path = f"{urlsplit(frames.submit_to(assignment)).path}/mturk/externalSubmit"

    response = stranger().generic("POST", path, body, content_type=kind)

    assert response.status_code in (400, 409)
    assert untouched(assignment)
