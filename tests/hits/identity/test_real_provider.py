"""Sign-in by a real identity provider on this machine, over HTTP, with its own pages of consent."""

import re
import socket
import subprocess
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, HTTPRedirectHandler, build_opener

import pytest
from django.conf import LazySettings
from django.test import Client

from hits.identity.models.openid_links import OpenIdLink
from hits.identity.models.users import User
from tests.factories import make_user
from tests.needs import oidc_provider
from tests.pages import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.needs_oidc_provider]
BEGIN, BACK = "/admin/openid/", "/admin/openid/back/"
OURS = "http://127.0.0.1:8000"
FORM = re.compile(r'<form[^>]*action="([^"]+)"')
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="(\w+)"')


@pytest.fixture
def provider(settings: LazySettings) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    script = Path(__file__).parent / "real_provider.mjs"
    command = ["node", str(script), str(oidc_provider()), port, f"{OURS}{BACK}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        said = next((line for line in process.stdout if "listening" in line), "")
        assert said, "The provider did not start."
        settings.PUBLIC_URL = OURS
        settings.OIDC_ISSUER = f"http://127.0.0.1:{port}"
        settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = "crowd", "a secret"
        yield settings.OIDC_ISSUER
        process.terminate()


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class Browser:
    """A person at the provider, who signs in and agrees."""

    def __init__(self) -> None:
        self.opener = build_opener(HTTPCookieProcessor(CookieJar()), _Stay)

    def go(self, address: str, *, name: str) -> str:
        """Go on until the provider sends the person back. Return the address of ours."""
        while not address.startswith(OURS):
            address = self._step(address, name=name)
        return address

    def _step(self, address: str, *, name: str, sent: dict[str, str] | None = None) -> str:
        body = urlencode(sent).encode() if sent else None
        try:
            with self.opener.open(address, body, timeout=10) as answer:
                page = answer.read().decode()
        except HTTPError as moved:
            if moved.code not in (302, 303):
                raise
            return str(urljoin(address, moved.headers["Location"]))
        found = FORM.search(page)
        assert found, page
        fields = {**dict(HIDDEN.findall(page)), "login": name, "password": "any"}
        return self._step(urljoin(address, found[1]), name=name, sent=fields)


def sign_in(client: Client, *, name: str) -> Any:
    away = client.get(BEGIN, {"next": "/admin/sessions/"}).headers["Location"]
    back = urlsplit(Browser().go(away, name=name))
    return client.get(back.path, dict(parse_qsl(back.query)), follow=True)


def test_a_person_of_the_provider_gets_in_and_is_known_again(provider: str) -> None:
    user = make_user(email="ada@example.org")
    client = Client()

    page = sign_in(client, name="ada")
    User.objects.filter(pk=user.pk).update(email="")
    later = Client()
    again = sign_in(later, name="ada")

    for one, shown in ((client, page), (later, again)):
        assert (shown.status_code, shown.request["PATH_INFO"]) == (200, "/admin/sessions/")
        assert one.session["_auth_user_id"] == str(user.pk)
    link = OpenIdLink.objects.get()
    assert (link.issuer, link.subject) == (provider, "ada")


def test_a_person_whom_nobody_here_knows_stays_out(provider: str) -> None:
    make_user(email="ada@example.org")
    client = Client()

    page = sign_in(client, name="bob")

    assert "no account here is yours" in text_of(page)
    assert client.get("/admin/").status_code == 302


def test_the_provider_refuses_a_wrong_secret_of_ours(provider: str, settings: LazySettings) -> None:
    make_user(email="ada@example.org")
    settings.OIDC_CLIENT_SECRET = "another"
    client = Client()

    page = sign_in(client, name="ada")

    assert "The identity provider refused it (401)" in text_of(page)
    assert not OpenIdLink.objects.exists()
