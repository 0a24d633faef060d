"""Nonsense in addresses and forms gets a page or a refusal, and never breaks a page."""

from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.crowd.marketplace.site import Browser, open_hit, signed_in, stranger, text_of

pytestmark = pytest.mark.django_db

HOSTILE = [
    "\0",
    "%00",
    "\ud800".encode("utf-16", "surrogatepass").decode("latin-1"),
    "9" * 400,
    "-1",
    "1~2~3",
    "1.00~1",
    "9999999999.99~999999999999999999",
    "NaN~1",
    "1e5~1",
    "²~١",
    "'; DROP TABLE marketplace_hit; --",
    "<script>alert(1)</script>",
    "../../etc/passwd",
    "😀" * 300,
    "%ff%fe",
]
PLACES = {
    "/": ("q", "sort", "mine", "after", "before"),
    "/history/": ("q", "sort", "status", "after", "before"),
    "/history/export/": ("q", "status"),
    "/earnings/": ("after", "before"),
    "/messages/": ("after", "before"),
    "/settings/": ("saved",),
}


@pytest.mark.parametrize("path", PLACES)
@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_parameters_get_a_page(browser: Browser, path: str, value: str) -> None:
    sorts = ["newest", "reward", "time", "oldest"]
    queries = [{name: value} for name in PLACES[path]]
    queries += [{"sort": sort, "after": value} for sort in sorts]
    open_hit()

    answers = [browser.client.get(path, query) for query in queries]
    answers.append(browser.get(f"{path}?{PLACES[path][0]}={value.encode('utf-8', 'replace').hex()}%ff%00"))

    assert {answer.status_code for answer in answers} == {200}


@given(text=st.text(max_size=60))
@settings(max_examples=60)
def test_any_text_can_be_searched_for(browser: Browser, text: str) -> None:
    address = f"/?q={quote(text, errors='replace')}&after={quote(text, errors='replace')}"

    assert browser.get(address).status_code in (200, 429)


@pytest.mark.parametrize("part", ["%00", "a%00b", "..", "x" * 65, "%ED%A0%80", "a'b", "a b"])
def test_hostile_ids_are_not_found(browser: Browser, part: str) -> None:
    paths = [f"/groups/{part}/", f"/work/{part}/", f"/messages/{part}/"]

    answers = [browser.get(path) for path in paths]

    assert [answer.status_code for answer in answers] == [404] * 3
    assert ["This page does not exist" in text_of(answer) for answer in answers] == [True] * 3


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_forms_are_refused(value: str) -> None:
    browser = signed_in()
    fields = dict.fromkeys(("name", "country", "subdivision", "sign_in_name", "password", "present"), value)

    answers = [
        browser.client.post("/settings/about/", {**fields, "name": ""}),
        browser.client.post("/settings/password/", {**fields, "again": value}),
        stranger().post("/sign-in/", {**fields, "wanted": value}),
    ]

    assert [answer.status_code for answer in answers] == [422] * 3
    browser.worker.refresh_from_db()
    assert (browser.worker.country, browser.worker.sign_in_name, browser.worker.password) == ("", None, "")


def test_requesters_text_is_never_markup(browser: Browser) -> None:
    hit = open_hit(title="<img src=x onerror=alert(1)>")

    pages = [browser.get("/"), browser.get(f"/groups/{hit.hit_type.external_id}/")]

    assert [b"<img" in page.content for page in pages] == [False, False]


def test_errors_are_in_the_look_of_the_site(browser: Browser) -> None:
    missing, wrong = browser.get("/nowhere/"), stranger(enforce_csrf_checks=True).post("/sign-in/")

    assert (missing.status_code, wrong.status_code) == (404, 403)
    assert "This page does not exist" in text_of(missing)
    assert "Please send it again" in text_of(wrong)
    assert ["site.css" in page.content.decode() for page in (missing, wrong)] == [True, True]


def test_page_that_fails_says_whose_fault_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    browser = signed_in()
    browser.client.raise_request_exception = False
    monkeypatch.setattr("crowd.marketplace.queries.accepted_work", lambda **_: 1 / 0)

    response = browser.get("/work/")

    assert response.status_code == 500
    assert "This is our fault, not yours." in text_of(response)
