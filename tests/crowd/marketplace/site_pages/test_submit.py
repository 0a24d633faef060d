"""externalSubmit: what the question page's form may do, and what is refused."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings as django_settings
from django.core import signing
from django.utils import timezone

from crowd.marketplace import frames, seals
from crowd.marketplace.models import Assignment
from crowd.marketplace.questions import write_answer
from tests.crowd.marketplace.rows import facts, status_of
from tests.crowd.marketplace.site import (
    Browser,
    accepted,
    frame_url,
    group_path,
    open_hit,
    query_of,
    signed_in,
    stranger,
    submit_path,
    text_of,
    work_path,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(browser: Browser) -> Assignment:
    return accepted(browser, open_hit())


def path_of(assignment: Assignment) -> str:
    """Signed submit path of the assignment; the path alone names the row."""
    return f"/submit/{seals.sign_submit(claim(assignment))}/mturk/externalSubmit"


def claim(assignment: Assignment) -> dict[str, object]:
    return {"assignment": assignment.external_id, "row": assignment.pk}


def form(assignment: Assignment, **fields: Any) -> dict[str, Any]:
    return {"assignmentId": assignment.external_id, **(fields or {"chosen": "a"})}


def untouched(assignment: Assignment) -> bool:
    assignment.refresh_from_db()
    return (assignment.status, assignment.answer, assignment.submitted_at) == ("Accepted", "", None)


def test_submit_hands_in_without_any_cookie(browser: Browser, assignment: Assignment) -> None:
    path = submit_path(browser.get(work_path(assignment)))

    response = stranger(enforce_csrf_checks=True).post(path, form(assignment, chosen="a"))

    assert response.status_code == 200
    assert "Submitted Thank you." in text_of(response)
    assignment.refresh_from_db()
    assert (assignment.status, assignment.answer) == ("Submitted", write_answer([("chosen", "a")]))
    assert facts(assignment.hit, now=timezone.now()).status == "Reviewable"


def test_submit_moves_the_worker_on_to_a_page_that_says_so(browser: Browser, assignment: Assignment) -> None:
    browser.client.post(path_of(assignment), form(assignment))

    said = text_of(browser.get(work_path(assignment)))

    assert "“Which pictures?” has been received. The reward of $0.05 is yours" in said


def test_submit_keeps_every_value_in_order_and_leaves_out_the_urls_own_fields(
    assignment: Assignment,
) -> None:
    own = {"hitId": "H", "workerId": "W", "turkSubmitTo": "https://example.org"}

    stranger().post(path_of(assignment), form(assignment, chosen=["b", "a"], empty="", **own))

    assignment.refresh_from_db()
    assert assignment.answer == write_answer([("chosen", "b|a"), ("empty", "")])


def test_submit_with_the_path_of_other_work_is_refused(assignment: Assignment) -> None:
    other = accepted(signed_in(), open_hit())

    response = stranger().post(path_of(other), form(assignment))

    assert response.status_code == 409
    assert "This submit address belongs to other work." in text_of(response)
    assert (untouched(assignment), untouched(other)) == (True, True)


def tampered_paths(assignment: Assignment) -> list[str]:
    signed = seals.sign_submit(claim(assignment))
    payload, _, signature = signed.partition(":")
    other_key = signing.dumps(claim(assignment), key="other", salt="marketplace.submit")
    other_salt = signing.dumps(
        claim(assignment), key=django_settings.MARKETPLACE_KEYS[0], salt="marketplace.page"
    )
    return [
        signed[:-1] + ("A" if signed[-1] != "A" else "B"),
        payload,
        f"{signature}:{payload}",
        other_key,
        other_salt,
        "x",
    ]


def test_submit_with_a_tampered_path_is_refused(assignment: Assignment) -> None:
    client = stranger()

    answers = [
        client.post(f"/submit/{signed}/mturk/externalSubmit", form(assignment))
        for signed in tampered_paths(assignment)
    ]

    assert [answer.status_code for answer in answers] == [409] * 6
    assert ["This submit address is not valid." in text_of(answer) for answer in answers] == [True] * 6
    assert untouched(assignment)


@pytest.mark.parametrize("fields", [{}, {"turkSubmitTo": "T"}])
def test_submit_without_a_field_of_its_own_is_refused(assignment: Assignment, fields: dict[str, str]) -> None:
    response = stranger().post(path_of(assignment), {"assignmentId": assignment.external_id, **fields})

    assert response.status_code == 409
    assert "The form sent no answer." in text_of(response)
    assert untouched(assignment)


def test_submit_by_a_page_that_keeps_the_answers_is_taken(assignment: Assignment) -> None:
    response = stranger().post(path_of(assignment), form(assignment, hitId="H", workerId="W"))

    assignment.refresh_from_db()
    assert (response.status_code, assignment.status, assignment.answer) == (
        200,
        "Submitted",
        write_answer([]),
    )


def test_submit_with_the_assignment_in_the_address_is_taken(assignment: Assignment) -> None:
    path = f"{path_of(assignment)}?assignmentId={assignment.external_id}"

    assert stranger().post(path, {"trials": "[1, 2]"}).status_code == 200
    assignment.refresh_from_db()
    assert assignment.answer == write_answer([("trials", "[1, 2]")])


def test_submit_to_the_address_of_all_work_reaches_the_open_one(
    browser: Browser, assignment: Assignment
) -> None:
    client = stranger(enforce_csrf_checks=True)

    first = client.post("/mturk/externalSubmit", form(assignment, chosen="a"))
    again = client.post("/mturk/externalSubmit", form(assignment, chosen="b"))
    unknown = client.post("/mturk/externalSubmit", {"assignmentId": "3NOSUCHWORK", "chosen": "a"})

    assignment.refresh_from_db()
    assert [answer.status_code for answer in (first, again, unknown)] == [200, 409, 409]
    assert assignment.answer == write_answer([("chosen", "a")])


def test_submit_for_an_id_that_was_used_before_needs_the_workers_own(
    browser: Browser, assignment: Assignment
) -> None:
    browser.post(f"{work_path(assignment)}return/")
    again = accepted(signed_in(), assignment.hit)
    assert again.external_id == assignment.external_id

    earlier = stranger().post("/mturk/externalSubmit", form(again, chosen="theirs"))
    own = form(again, chosen="mine", workerId=again.worker.external_id)
    answers = [earlier, stranger().post("/mturk/externalSubmit", own)]

    again.refresh_from_db()
    assert [answer.status_code for answer in answers] == [409, 200]
    assert again.answer == write_answer([("chosen", "mine")])


def test_submit_to_the_address_of_all_work_after_a_return_is_refused(
    browser: Browser, assignment: Assignment
) -> None:
    browser.post(f"{work_path(assignment)}return/")

    response = stranger().post("/mturk/externalSubmit", form(assignment))

    assert (response.status_code, status_of(assignment)) == (409, "Returned")


def test_submit_of_a_long_questionnaire_is_taken(assignment: Assignment) -> None:
    fields = {f"q{number}": str(number) for number in range(2_000)}

    many = stranger().post(path_of(assignment), form(assignment, long="x" * 5_000_000, **fields))

    assignment.refresh_from_db()
    assert (many.status_code, assignment.answer.count("<Answer>")) == (200, 2_001)


TOO_LARGE = {
    "in bytes": urlencode({"recording": "x" * 10_485_760}),
    "in fields": urlencode({f"q{number}": "" for number in range(10_001)}),
}


@pytest.mark.parametrize("size", TOO_LARGE)
@pytest.mark.parametrize("is_signed", [True, False])
def test_submit_of_a_too_large_answer_is_refused_in_words(
    assignment: Assignment, size: str, is_signed: bool
) -> None:
    path = path_of(assignment) if is_signed else "/mturk/externalSubmit"
    body = f"assignmentId={assignment.external_id}&{TOO_LARGE[size]}"

    response = stranger().post(path, body, content_type="application/x-www-form-urlencoded")

    assert response.status_code == 409
    assert "This answer is too large to submit." in text_of(response)
    assert "frame-ancestors 'self'" in response["Content-Security-Policy"]
    assert untouched(assignment)


@pytest.mark.parametrize("fields", [{"chosen": "a"}, {"assignmentId": "", "chosen": "a"}])
def test_submit_without_an_assignment_is_refused(assignment: Assignment, fields: dict[str, str]) -> None:
    assert stranger().post(path_of(assignment), fields).status_code == 409
    assert untouched(assignment)


def test_submit_twice_keeps_the_first_answer(assignment: Assignment) -> None:
    client = stranger()
    client.post(path_of(assignment), form(assignment, chosen="first"))

    response = client.post(path_of(assignment), form(assignment, chosen="second"))

    assert response.status_code == 409
    assert "Nothing changed." in text_of(response)
    assignment.refresh_from_db()
    assert assignment.answer == write_answer([("chosen", "first")])


def test_submit_after_the_deadline_is_refused(browser: Browser) -> None:
    hit = open_hit(ago=timedelta(hours=1))
    late = accepted(browser, hit, ago=timedelta(minutes=11))

    response = stranger().post(path_of(late), form(late))

    assert (response.status_code, status_of(late)) == (409, "Abandoned")


def test_submit_after_a_return_is_refused(browser: Browser, assignment: Assignment) -> None:
    browser.post(f"{work_path(assignment)}return/")

    response = stranger().post(path_of(assignment), form(assignment))

    assert (response.status_code, status_of(assignment)) == (409, "Returned")


def test_preview_submit_to_the_address_of_its_own_frame_is_explained(browser: Browser) -> None:
    hit = open_hit()
    page = browser.get(group_path(hit))
    fields = {"assignmentId": query_of(frame_url(page))["assignmentId"], "chosen": "a"}

    response = stranger(enforce_csrf_checks=True).post(submit_path(page), fields)

    assert response.status_code == 409
    assert "This was only a preview." in text_of(response)
    assert Assignment.objects.count() == 0


def test_preview_submit_to_a_signed_path_is_refused(assignment: Assignment) -> None:
    fields = {"assignmentId": frames.NOT_AVAILABLE, "chosen": "a"}

    response = stranger().post(path_of(assignment), fields)

    assert response.status_code == 409
    assert "This was only a preview." in text_of(response)
    assert untouched(assignment)


def test_submit_by_a_link_is_refused(assignment: Assignment) -> None:
    assert stranger().get(path_of(assignment), form(assignment)).status_code == 405
    assert untouched(assignment)


def test_submit_signed_with_a_retired_key_still_counts(assignment: Assignment, settings: Any) -> None:
    path = path_of(assignment)
    settings.MARKETPLACE_KEYS = ["a-newer-key", *settings.MARKETPLACE_KEYS]

    assert stranger().post(path, form(assignment)).status_code == 200
    assert status_of(assignment) == "Submitted"
