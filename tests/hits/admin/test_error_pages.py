"""Error pages of the researchers' host: our look, a reference that is in the log, and a way home."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client
from django.urls import path, reverse
from pytest_django import DjangoAssertNumQueries

from config import error_pages, urls
from config.logs import configure_logs
from config.urls import handler400, handler403, handler404, handler500
from tests.factories import make_user
from tests.pages import text_of

__all__ = ["handler400", "handler403", "handler404", "handler500"]
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]
REFERENCE = re.compile(r"Reference: <code>([0-9a-f]{12})</code>")
PROBLEMS = {
    400: SuspiciousOperation(),
    403: PermissionDenied(),
    404: Http404(),
    500: LookupError("planted mistake"),
}


def fail(_: HttpRequest, status: int) -> HttpResponse:
    raise PROBLEMS[status]


# All addresses of the host, and one that fails as it is told to.
urlpatterns = [
    path("admin/fail/<int:status>/", fail),
    path("api/fail/<int:status>/", fail),
    *urls.urlpatterns,
]


def read(address: str) -> Any:
    return Client(raise_request_exception=False).get(address)


def reference_of(page: Any) -> str:
    found = REFERENCE.search(page.content.decode())
    assert found
    return found[1]


@contextmanager
def logging_as_served() -> Iterator[None]:
    root, level = logging.getLogger(), logging.getLogger().level
    before = list(root.handlers)
    configure_logs(human=False)
    try:
        yield
    finally:
        root.handlers, root.level = before, level


@pytest.mark.parametrize("status", PROBLEMS)
def test_error_page_has_our_look_a_reference_and_a_way_home(status: int) -> None:
    page = read(f"/admin/fail/{status}/")

    content, text = page.content.decode(), text_of(page)
    assert page.status_code == status
    assert '<link rel="stylesheet" href="/static/base.css">' in content
    assert '<link rel="icon" href="/static/icon.svg" type="image/svg+xml">' in content
    assert f'href="{reverse("admin:index")}"' in content
    assert reference_of(page)
    assert "planted" not in text


def test_each_line_of_the_log_about_the_request_has_the_reference(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with logging_as_served():
        reference = reference_of(read("/admin/fail/500/"))

    lines = capsys.readouterr().err.splitlines()
    assert [f'"reference": "{reference}"' in line for line in lines] == [True, True]
    assert "LookupError: planted mistake" in lines[0]
    assert "request.finished" in lines[1]


def test_two_requests_have_two_references() -> None:
    assert reference_of(read("/admin/fail/404/")) != reference_of(read("/admin/fail/404/"))


def test_page_of_our_own_mistake_asks_no_database(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        page = read("/admin/fail/500/")

    assert page.status_code == 500


def test_outside_the_admin_no_page_leads_into_it() -> None:
    page = Client().get("/no-such-page/")

    assert page.status_code == 404
    assert reference_of(page)
    assert "/admin/" not in page.content.decode()


def test_signed_in_staff_meet_the_page_at_addresses_of_nothing(client: Client) -> None:
    client.force_login(make_user(is_superuser=True))

    missing = client.get("/admin/no-such-page/")
    unreadable = client.get(reverse("admin:hits_worker_changelist"), {"q": "a\0b"})

    assert (missing.status_code, unreadable.status_code) == (404, 400)
    assert error_pages.NOT_FOUND.title in text_of(missing)
    assert error_pages.BAD_REQUEST.title in text_of(unreadable)


def test_who_may_not_is_told_who_can_give_the_role(client: Client) -> None:
    client.force_login(make_user(is_superuser=False))

    page = client.get(reverse("admin:hits_payments"))

    assert page.status_code == 403
    assert error_pages.FORBIDDEN.for_staff in text_of(page)


@pytest.mark.parametrize("status", PROBLEMS)
def test_program_is_told_in_json(status: int) -> None:
    answer = read(f"/api/fail/{status}/")

    assert answer.status_code == status
    assert list(answer.json()) == ["detail"]


def test_form_without_its_token_is_answered_with_a_reference_and_a_way_home() -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user(is_superuser=True))

    page = client.post(reverse("admin:hits_study_add"), {"name": "Werewolves"})

    assert page.status_code == 403
    assert "Please send it again" in text_of(page)
    assert f'href="{reverse("admin:index")}"' in page.content.decode()
    assert reference_of(page)
