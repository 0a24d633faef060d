"""Invitations, sessions, signing out, and what visitors see who have no session."""

from collections.abc import Callable
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from crowd.marketplace.models import HIT, Assignment
from crowd.marketplace.models.parties import Invitation, WorkerSession
from crowd.marketplace.site.session import COOKIE
from tests.crowd.marketplace.rows import status_of
from tests.crowd.marketplace.site import (
    Browser,
    accepted,
    group_path,
    open_hit,
    signed_in,
    stranger,
    text_of,
    work_path,
)
from tests.factories import invite

pytestmark = pytest.mark.django_db


def door(token: str) -> str:
    return f"/invitation/{token}/"


def test_invitation_looked_at_changes_nothing() -> None:
    worker, token = invite(now=timezone.now())
    client = stranger()

    answers = [client.get(door(token)), client.head(door(token))]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert f"This invitation is for {worker.name} ." in text_of(answers[0])
    assert (WorkerSession.objects.count(), COOKIE in client.cookies) == (0, False)
    assert "You are not signed in" in text_of(client.get("/"))


def test_invitation_pressed_signs_in() -> None:
    worker, token = invite(now=timezone.now())
    client = stranger()

    response = client.post(door(token))

    assert (response.status_code, response["Location"]) == (302, "/")
    assert [session.worker for session in WorkerSession.objects.all()] == [worker]
    assert "Find work" in text_of(client.get("/"))


def test_session_cookie_is_for_this_site_and_no_script() -> None:
    _, token = invite(now=timezone.now())
    client = stranger()

    client.post(door(token))

    cookie = client.cookies[COOKIE]
    flags = {name: cookie[name] for name in ("httponly", "samesite", "path", "domain", "secure", "max-age")}
    assert flags == {
        "httponly": True,
        "samesite": "Lax",
        "path": "/",
        "domain": "",
        "secure": "",
        "max-age": 14 * 86_400,
    }


def test_session_cookie_is_secure_where_the_site_is(settings: LazySettings) -> None:
    settings.MARKETPLACE_URL = "https://localhost:8000"
    _, token = invite(now=timezone.now())
    client = stranger()

    client.post(door(token))

    assert client.cookies[COOKIE]["secure"] is True


def test_session_and_invitation_are_kept_as_digests_only() -> None:
    _, token = invite(now=timezone.now())
    client = stranger()
    client.post(door(token))
    bearer = client.cookies[COOKIE].value

    kept = [Invitation.objects.get().token_digest, WorkerSession.objects.get().token_digest]

    assert [len(digest) for digest in kept] == [64, 64]
    assert {token, bearer} & set(kept) == set()


@pytest.mark.parametrize("method", ["get", "post"])
def test_invitation_that_has_expired_is_not_found(method: str) -> None:
    worker, token = invite(now=timezone.now() - timedelta(days=30, seconds=1))
    client = stranger()

    response = getattr(client, method)(door(token))

    assert response.status_code == 404
    assert "This invitation is not valid" in text_of(response)
    assert worker.name not in text_of(response)
    assert (WorkerSession.objects.count(), COOKIE in client.cookies) == (0, False)


@pytest.mark.parametrize("token", ["x", "ümlaut", "%00", "a" * 3_000])
def test_invitation_that_never_was_is_not_found(token: str) -> None:
    client = stranger()

    answers = [client.get(door(token)), client.post(door(token))]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert WorkerSession.objects.count() == 0


def test_sign_out_ends_this_session_only() -> None:
    here, elsewhere = signed_in(), signed_in()

    response = here.post("/sign-out/")

    assert (response.status_code, here.client.cookies[COOKIE].value) == (302, "")
    assert [session.worker for session in WorkerSession.objects.all()] == [elsewhere.worker]
    assert "You are not signed in" in text_of(here.get("/"))


def test_sign_out_by_a_link_is_refused() -> None:
    browser = signed_in()

    assert browser.get("/sign-out/").status_code == 405
    assert WorkerSession.objects.count() == 1


def secret_rows() -> tuple[HIT, Assignment]:
    hit = open_hit(title="Secret title", max_assignments=2)
    return hit, accepted(signed_in(), hit)


def without_session() -> Client:
    return stranger()


def with_a_forged_session() -> Client:
    client = stranger()
    client.cookies[COOKIE] = "forged"
    return client


def with_an_expired_session() -> Client:
    browser = signed_in()
    WorkerSession.objects.filter(worker=browser.worker).update(expires_at=timezone.now())
    return browser.client


@pytest.mark.parametrize("who", [without_session, with_a_forged_session, with_an_expired_session])
def test_page_without_a_session_shows_how_to_sign_in_and_nothing_else(
    who: Callable[[], Client],
) -> None:
    hit, assignment = secret_rows()
    client = who()
    paths = ["/", group_path(hit), "/work/", work_path(assignment), "/history/"]

    answers = [client.get(path) for path in [*paths, "/groups/NOSUCH/", "/work/NOSUCH/"]]

    assert [answer.status_code for answer in answers] == [200, *[403] * 6]
    assert ["You are not signed in" in text_of(answer) for answer in answers] == [True] * 7
    assert ["Secret title" in text_of(answer) for answer in answers] == [False] * 7
    assert [hit.external_id.encode() in answer.content for answer in answers] == [False] * 7


def test_task_that_one_is_signed_out_of_is_said_to_be_kept_and_an_invitation_leads_to_it() -> None:
    worker, token = invite(now=timezone.now())
    client = stranger()
    work = accepted(Browser(client=client, worker=worker), open_hit())
    kept = "Signed out in the middle of a task? Nothing is lost."

    pages = [text_of(client.get(path)) for path in (work_path(work), "/work/", "/history/")]
    let_in = client.post(door(token))

    assert [kept in page for page in pages] == [True, False, False]
    assert let_in["Location"] == "/work/"


def test_deed_without_a_session_is_refused() -> None:
    hit, assignment = secret_rows()
    client = stranger()

    answers = [client.post(f"{group_path(hit)}accept/"), client.post(f"{work_path(assignment)}return/")]

    assert [answer.status_code for answer in answers] == [403, 403]
    assert (Assignment.objects.count(), status_of(assignment)) == (1, "Accepted")


def test_deed_by_a_link_is_refused() -> None:
    browser = signed_in()
    hit = open_hit(max_assignments=2)
    assignment = accepted(browser, hit)

    answers = [browser.get(f"{group_path(hit)}accept/"), browser.get(f"{work_path(assignment)}return/")]

    assert [answer.status_code for answer in answers] == [405, 405]
    assert (Assignment.objects.count(), status_of(assignment)) == (1, "Accepted")


def test_deed_without_a_csrf_token_is_refused() -> None:
    browser = signed_in(enforce_csrf_checks=True)
    hit = open_hit(max_assignments=2)
    assignment = accepted(browser, hit)
    _, token = invite(now=timezone.now())
    deeds = [f"{group_path(hit)}accept/", f"{work_path(assignment)}return/", "/sign-out/", door(token)]

    answers = [browser.post(path) for path in deeds]

    assert [answer.status_code for answer in answers] == [403] * 4
    assert (Assignment.objects.count(), status_of(assignment)) == (1, "Accepted")
    assert WorkerSession.objects.count() == 1


def test_deed_with_the_pages_csrf_token_is_done() -> None:
    browser = signed_in(enforce_csrf_checks=True)
    hit = open_hit()
    token = browser.get("/").context["csrf_token"]

    response = browser.client.post(f"{group_path(hit)}accept/", {"csrfmiddlewaretoken": str(token)})

    assert (response.status_code, Assignment.objects.get().worker) == (302, browser.worker)


def test_health_tells_only_whether_there_is_a_requester() -> None:
    before = stranger().get("/health/").json()
    open_hit()

    assert (before, stranger().get("/health/").json()) == ({"requesters": False}, {"requesters": True})


@pytest.mark.parametrize(
    "path", ["/", "/sign-in/", "/desk/", "/desk/sign-in/", "/control/state/", "/health/"]
)
def test_amazons_host_names_show_no_page(client: Client, settings: LazySettings, path: str) -> None:
    answers = [client.get(path, headers={"host": host}).status_code for host in settings.AMAZON_HOSTS]

    assert set(answers) == ({405} if path == "/" else {404})


@pytest.mark.parametrize("site", ["MARKETPLACE_URL", "MARKETPLACE_CONTENT_URL"])
def test_host_name_that_ends_in_a_dot_is_the_same_site(
    client: Client, settings: LazySettings, site: str
) -> None:
    host = (urlsplit(getattr(settings, site)).hostname or "").replace("*", "a1")

    answer = client.get("/admin/login/", headers={"host": f"{host}."})

    assert answer.status_code == 404
