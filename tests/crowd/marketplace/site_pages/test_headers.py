"""Headers that forbid foreign frames, foreign scripts, and foreign pages that frame ours."""

from typing import Any

import pytest

from crowd.marketplace import seals
from tests.crowd.marketplace.forms import html_question
from tests.crowd.marketplace.site import (
    Browser,
    accepted,
    group_path,
    open_hit,
    stranger,
    work_path,
)

pytestmark = pytest.mark.django_db

STRICT = {
    "default-src": "'self'",
    "img-src": "'self' data:",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}


def policy(page: Any) -> dict[str, str]:
    directives = (part.strip().partition(" ") for part in page["Content-Security-Policy"].split(";"))
    return {name: sources for name, _, sources in directives if name}


def test_plain_pages_may_frame_nothing_and_be_framed_by_nobody(browser: Browser) -> None:
    pages = [browser.get(path) for path in ("/", "/work/", "/history/", "/groups/NOSUCH/")]
    pages.append(stranger().get("/"))

    assert [policy(page) for page in pages] == [STRICT] * 5
    assert [page["X-Frame-Options"] for page in pages] == ["DENY"] * 5


def test_preview_and_work_may_frame_the_question_and_our_own_answer(browser: Browser) -> None:
    hit = open_hit(url="https://example.org:8443/q?a=1", max_assignments=2)
    pages = [browser.get(group_path(hit)), browser.get(work_path(accepted(browser, hit)))]

    assert [policy(page) for page in pages] == [
        {**STRICT, "frame-src": "'self' https://example.org:8443"}
    ] * 2
    assert [page["X-Frame-Options"] for page in pages] == ["DENY"] * 2


def test_submit_answer_may_stand_in_our_own_frame_only(browser: Browser) -> None:
    assignment = accepted(browser, open_hit())
    signed = seals.sign_submit({"assignment": assignment.external_id, "row": assignment.pk})
    path = f"/submit/{signed}/mturk/externalSubmit"

    answers = [stranger().post(path, {"assignmentId": assignment.external_id, "a": "b"}) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 409]
    assert [policy(answer) for answer in answers] == [{**STRICT, "frame-ancestors": "'self'"}] * 2
    assert [answer["X-Frame-Options"] for answer in answers] == ["SAMEORIGIN"] * 2


def test_windows_of_an_external_page_alone_keep_the_frame_that_opened_them(browser: Browser) -> None:
    external, html = open_hit(), open_hit(question=html_question())
    pages = [browser.get(work_path(accepted(browser, hit))) for hit in (external, html)]
    pages += [browser.get("/"), browser.get(group_path(open_hit()))]

    found = [page["Cross-Origin-Opener-Policy"] for page in pages]

    assert found == ["same-origin-allow-popups", "same-origin", "same-origin", "same-origin"]


def test_every_page_tells_its_address_to_no_other_site(browser: Browser) -> None:
    pages = [browser.get("/"), browser.get("/history/"), stranger().get("/")]

    assert [page["Referrer-Policy"] for page in pages] == ["same-origin"] * 3
    assert [page["X-Content-Type-Options"] for page in pages] == ["nosniff"] * 3


def test_pages_carry_no_inline_script_or_style(browser: Browser) -> None:
    hit = open_hit(max_assignments=2)
    pages = [browser.get(path) for path in ("/", group_path(hit), "/work/", "/history/")]
    pages.append(browser.get(work_path(accepted(browser, hit))))

    found = [page.content.decode() for page in pages]

    assert ["<style" in html or " style=" in html or "<script>" in html for html in found] == [False] * 5
    assert [" onclick=" in html or "javascript:" in html for html in found] == [False] * 5
