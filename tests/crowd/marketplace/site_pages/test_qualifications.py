"""A worker's pages of qualifications: held, requested, available, and earned by a test."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils import timezone

from crowd.marketplace import frames
from crowd.marketplace.models import Qualification, QualificationRequest, QualificationType
from crowd.marketplace.services.qualifying.qualification_requests import ask, begin_test
from crowd.marketplace.services.qualifying.qualification_types import Change, dispose_type, update_type
from crowd.marketplace.services.qualifying.qualifications import grant, reject_request, revoke
from tests.crowd.marketplace.qualifying import make_test, make_type, make_worker
from tests.crowd.marketplace.site import FRAME, Browser, frame_url, signed_in, stranger, text_of, unsigned

pytestmark = pytest.mark.django_db

Status = QualificationRequest.Status


def path(type_: QualificationType, deed: str = "") -> str:
    return f"/qualifications/{type_.external_id}/{deed}"


def started(browser: Browser, type_: QualificationType, *, ago_s: int = 0) -> QualificationRequest:
    return begin_test(type_=type_, worker=browser.worker, now=timezone.now() - timedelta(seconds=ago_s))


def hand_in(request: QualificationRequest, fields: dict[str, Any]) -> Any:
    """Submit the test as the frame does: without cookies, at the signed address."""
    address = urlsplit(frames.test_submit_url(request))
    return Client(HTTP_HOST=address.netloc, enforce_csrf_checks=True).post(address.path, fields)


def requests_of(type_: QualificationType) -> list[str]:
    return list(type_.requests.values_list("status", flat=True))


def values_of(type_: QualificationType) -> list[int]:
    return list(Qualification.objects.filter(type=type_).values_list("value", flat=True))


def test_pages_are_for_workers_who_are_signed_in() -> None:
    type_ = make_type()

    for page in ("/qualifications/", "/qualifications/find/", path(type_), path(type_, "test/")):
        assert stranger().get(page).status_code == 403
    for deed in ("ask/", "begin/", "withdraw/"):
        assert stranger().post(path(type_, deed)).status_code == 403
    assert requests_of(type_) == []


def test_value_that_opens_nothing_is_shown_with_the_requesters_words() -> None:
    browser, type_ = signed_in(), make_type()
    grant(type_=type_, worker=browser.worker, value=0, reason="Not passed: 58 %.", now=timezone.now())

    shown = [text_of(browser.get(page)) for page in ("/qualifications/", path(type_))]

    for page in shown:
        assert "The requester says: Not passed: 58 %." in page
        assert "Status on record" in page


def test_deeds_need_the_token_of_their_form() -> None:
    browser, type_ = signed_in(enforce_csrf_checks=True), make_type()

    for deed in ("ask/", "begin/", "withdraw/"):
        assert browser.post(path(type_, deed)).status_code == 403
        assert browser.get(path(type_, deed)).status_code == 405
    assert requests_of(type_) == []


def test_mine_shows_what_is_held_with_its_value_and_what_was_taken_back(browser: Browser) -> None:
    held, gone = make_type(name="Reader"), make_type(name="Painter")
    for type_ in (held, gone):
        grant(type_=type_, worker=browser.worker, value=87, now=timezone.now())
    revoke(type_=gone, worker=browser.worker, reason="Too fast.", now=timezone.now())
    grant(type_=make_type(name="Foreign"), worker=make_worker(), value=5, now=timezone.now())

    text = text_of(browser.get("/qualifications/"))

    assert "Reader Status yours Value 87" in text
    assert "Painter Status revoked" in text
    assert "The requester says: Too fast." in text
    assert "Foreign" not in text


def test_mine_shows_requests_and_when_one_may_try_again(browser: Browser) -> None:
    now = timezone.now()
    waiting, once, later = (
        make_type(name="Waiting"),
        make_type(name="Once"),
        make_type(name="Later", retry_delay_s=86_400),
    )
    for type_ in (waiting, once, later):
        request = ask(type_=type_, worker=browser.worker, now=now)
        if type_ != waiting:
            reject_request(request_id=request.pk, reason="Not yet.", now=now)

    text = text_of(browser.get("/qualifications/"))

    assert "Waiting waiting The requester has to decide." in text
    assert "Once not granted The requester says: Not yet." in text
    assert "There was one attempt only." in text
    assert f"You may try again from {now + timedelta(days=1):%-d %b %Y, %H:%M} UTC ." in text


def test_mine_is_read_in_pages(browser: Browser) -> None:
    for number in range(25):
        grant(type_=make_type(name=f"T{number:02}"), worker=browser.worker, value=1, now=timezone.now())

    first = browser.get("/qualifications/")
    [further] = [part for part in first.content.decode().split('"') if part.startswith("?after=")]
    second = browser.get(f"/qualifications/{further}")

    assert "T24" in text_of(first)
    assert "T04" not in text_of(first)
    assert "T04" in text_of(second)
    assert "T05" not in text_of(second)


def test_find_shows_what_one_can_still_ask_for(browser: Browser) -> None:
    held, asked = make_type(name="Held"), make_type(name="Asked")
    resting, deleted = make_type(name="Resting", status="Inactive"), make_type(name="Deleted")
    grant(type_=held, worker=browser.worker, value=1, now=timezone.now())
    ask(type_=asked, worker=browser.worker, now=timezone.now())
    dispose_type(type_id=deleted.pk, now=timezone.now())
    make_type(name="Free", is_auto_granted=True)
    make_type(name="Tested", test=make_test(), test_duration_s=900)

    text = text_of(browser.get("/qualifications/find/"))

    assert "Free Reads with care." in text
    assert "given at once" in text
    assert "by a test of 15 minutes" in text
    for type_ in (held, asked, resting, deleted):
        assert f"{type_.name} " not in text


@pytest.mark.parametrize("query", ["reader", "READ", "soup", "care reader"])
def test_find_searches_name_description_and_keywords(browser: Browser, query: str) -> None:
    make_type(name="Reader", keywords="soup")
    make_type(name="Painter", description="Paints.")

    text = text_of(browser.get(f"/qualifications/find/?q={query}"))

    assert ("Reader" in text, "Painter" in text) == (True, False)


@pytest.mark.parametrize("query", ["nothing", "%00", "%ED%A0%80", "%25", "x" * 5000])
def test_find_without_a_hit_says_so(browser: Browser, query: str) -> None:
    make_type()

    response = browser.get(f"/qualifications/find/?q={query}&after=~")

    assert response.status_code == 200


def test_page_of_a_type_that_rests_is_for_those_who_have_to_do_with_it(browser: Browser) -> None:
    type_ = make_type(name="Resting", status="Inactive")
    assert browser.get(path(type_)).status_code == 404

    grant(type_=type_, worker=browser.worker, value=1, now=timezone.now())

    assert browser.get(path(type_)).status_code == 200
    assert browser.get("/qualifications/NOSUCH/").status_code == 404


def test_ask_waits_for_the_requester_and_can_be_withdrawn(browser: Browser) -> None:
    type_ = make_type()
    page = text_of(browser.get(path(type_)))
    assert "The requester decides, which may take some days." in page
    assert "asking here changes nothing" in page

    response = browser.post(path(type_, "ask/"))

    assert (response.status_code, response["Location"]) == (302, path(type_))
    assert "waiting The requester has to decide." in text_of(browser.get(path(type_)))
    browser.post(path(type_, "withdraw/"))
    assert requests_of(type_) == [Status.WITHDRAWN]
    assert "Ask for this qualification" in text_of(browser.get(path(type_)))


def test_ask_for_an_auto_granted_one_gets_it_at_once(browser: Browser) -> None:
    type_ = make_type(is_auto_granted=True, auto_granted_value=3)
    assert "You get this qualification at once." in text_of(browser.get(path(type_)))

    browser.post(path(type_, "ask/"))

    text = text_of(browser.get(path(type_)))
    assert (values_of(type_), "You have this qualification." in text) == ([3], True)


def test_ask_that_is_not_possible_is_explained(browser: Browser) -> None:
    type_ = make_type()
    update_type(type_id=type_.pk, change=Change(test=make_test(), test_duration_s=600))

    response = browser.post(path(type_, "ask/"))

    assert response.status_code == 409
    assert "This qualification now has a test." in text_of(response)
    assert requests_of(type_) == []


@pytest.mark.parametrize(
    ("delay", "warning"),
    [
        (None, "You have one attempt. If the time runs out, it is used up."),
        (0, "You may take the test again at once."),
        (86_400, "You may take the test again only after 1 day."),
    ],
)
def test_test_is_begun_after_a_warning(browser: Browser, delay: int | None, warning: str) -> None:
    type_ = make_type(test=make_test(), test_duration_s=900, retry_delay_s=delay)

    text = text_of(browser.get(path(type_)))
    response = browser.post(path(type_, "begin/"))

    assert "The clock starts when you press the button. You then have 15 minutes" in text
    assert warning in text
    assert (response.status_code, response["Location"]) == (302, path(type_, "test/"))
    assert requests_of(type_) == [Status.STARTED]


def test_second_attempt_is_refused_with_the_date(browser: Browser) -> None:
    type_ = make_type(test=make_test(), test_duration_s=60, retry_delay_s=86_400)
    begun = started(browser, type_, ago_s=120)

    response = browser.post(path(type_, "begin/"))

    again = begun.started_at + timedelta(days=1)
    assert response.status_code == 409
    assert f"You may try again from {again:%-d %b %Y, %H:%M} UTC ." in text_of(response)
    assert requests_of(type_) == [Status.LAPSED]


def test_test_page_frames_the_form_of_the_content_host(browser: Browser) -> None:
    type_ = make_type(test=make_test())
    begun = started(browser, type_)

    page = browser.get(path(type_, "test/"))
    source = urlsplit(frame_url(page))
    form = Client(HTTP_HOST=source.netloc).get(source.path)

    assert unsigned(frame_url(page)) == unsigned(frames.test_url(begun))
    assert FRAME in page.content.decode()
    assert f"{source.scheme}://{source.netloc}" in page["Content-Security-Policy"]
    assert unsigned(frames.test_submit_url(begun)) in unsigned(form.content.decode())


@pytest.mark.parametrize("ago_s", [60, 6000])
def test_test_page_after_the_time_tells_what_became_of_it(browser: Browser, ago_s: int) -> None:
    type_ = make_type(test=make_test(), test_duration_s=60)
    started(browser, type_, ago_s=ago_s)

    response = browser.get(path(type_, "test/"))

    assert response["Location"] == path(type_)
    assert "time was over The test was not submitted." in text_of(browser.get(path(type_)))


def test_test_of_another_worker_is_not_shown(browser: Browser) -> None:
    type_ = make_type(test=make_test())
    begin_test(type_=type_, worker=make_worker(), now=timezone.now())

    assert browser.get(path(type_, "test/"))["Location"] == path(type_)


def test_handing_in_scores_and_grants_at_once(browser: Browser) -> None:
    type_ = make_type(test=make_test(questions=2))
    begun = started(browser, type_)

    response = hand_in(begun, {"q0": ["0"], "q1": ["1"]})

    assert (response.status_code, response.headers.get("Set-Cookie")) == (200, None)
    assert "frame-ancestors 'self'" in response["Content-Security-Policy"]
    assert response["X-Frame-Options"] == "SAMEORIGIN"
    assert (values_of(type_), requests_of(type_)) == ([50], [Status.GRANTED])
    assert "Value 50" in text_of(browser.get(path(type_)))


def test_handing_in_without_a_key_waits_for_the_requester(browser: Browser) -> None:
    type_ = make_type(test=make_test(with_key=False))

    hand_in(started(browser, type_), {"q0": ["0", "1"]})

    request = type_.requests.get()
    assert (request.status, values_of(type_)) == (Status.PENDING, [])
    assert request.answer.count("<SelectionIdentifier>") == 2


def test_form_with_a_mistake_comes_back_as_it_was_filled_in(browser: Browser) -> None:
    type_ = make_type(test=make_test(questions=2))
    begun = started(browser, type_)

    response = hand_in(begun, {"q0": ["1"]})

    assert response.status_code == 422
    assert "This question needs an answer." in text_of(response)
    assert "checked" in response.content.decode()
    # A requester's words on our own host stay in a sandbox, and in our own frame.
    assert "sandbox " in response["Content-Security-Policy"]
    assert "allow-same-origin" not in response["Content-Security-Policy"]
    assert response["X-Frame-Options"] == "SAMEORIGIN"
    assert requests_of(type_) == [Status.STARTED]


def test_handing_in_twice_or_too_late_changes_nothing(browser: Browser) -> None:
    twice, late = make_type(test=make_test()), make_type(test=make_test(), test_duration_s=60)
    first, second = started(browser, twice), started(browser, late, ago_s=60)
    hand_in(first, {"q0": ["0"]})

    again, over = hand_in(first, {"q0": ["1"]}), hand_in(second, {"q0": ["0"]})

    assert (again.status_code, over.status_code) == (409, 409)
    assert "You have already submitted this test." in text_of(again)
    assert "The time for this test is over." in text_of(over)
    assert (values_of(twice), values_of(late)) == ([100], [])


def test_address_that_is_not_signed_for_a_test_is_refused(browser: Browser) -> None:
    begun = started(browser, make_type(test=make_test()))
    signed = urlsplit(frames.test_submit_url(begun)).path

    for address in (f"{signed}x", "/submit/test/nonsense", f"/submit/test/{frames.test_url(begun)[-60:-1]}"):
        assert stranger().post(address, {"q0": ["0"]}).status_code == 409
    assert stranger().get(signed).status_code == 405
    begun.refresh_from_db()
    assert begun.status == Status.STARTED


def test_address_of_a_test_hands_in_no_work(browser: Browser) -> None:
    begun = started(browser, make_type(test=make_test()))
    signed = urlsplit(frames.test_submit_url(begun)).path.rpartition("/")[2]

    response = stranger().post(f"/submit/{signed}/mturk/externalSubmit", {"assignmentId": "A", "q0": "0"})

    assert response.status_code == 409


def test_words_of_a_requester_are_escaped(browser: Browser) -> None:
    type_ = make_type(name="<script>x</script>", description="<b>bold</b>")

    for page in ("/qualifications/find/", path(type_)):
        content = browser.get(page).content.decode()
        assert "<script>x" not in content
        assert "<b>bold" not in content
