"""Fetching from addresses, against a server on loopback that misbehaves in every way it can."""

import socket
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from django.conf import LazySettings

from crowd.pictures.bringing import picture_fetching, public_addresses
from crowd.pictures.bringing.picture_fetching import fetch
from crowd.pictures.bringing.public_addresses import read_target, resolve
from crowd.pictures.errors import NotFetched

pytestmark = pytest.mark.pure
CONTENT = b"bytes of a picture"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path.startswith("/to/"):
            self._answer(302, Location=self.path.removeprefix("/to"))
        elif path == "/round":
            self._answer(301, Location="/round")
        elif path == "/elsewhere":
            self._answer(302, Location="http://192.168.0.1/a.png")
        elif path == "/slow":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            time.sleep(3)
        elif path == "/short":
            self._answer(200, b"abc", **{"Content-Length": "1000"})
        elif path.strip("/").isdigit():
            self._answer(int(path.strip("/")))
        else:
            self._answer(200, CONTENT)

    def _answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        found.daemon_threads = True
        found.block_on_close = False
        thread = Thread(target=found.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{found.server_port}"
        found.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _private(settings: LazySettings) -> None:
    settings.FETCH_PRIVATE = True


def test_fetch_gives_the_bytes(server: str) -> None:
    assert fetch(f"{server}/a.png?size=large") == CONTENT


def test_fetch_follows_a_few_redirects_and_no_more(server: str) -> None:
    assert fetch(f"{server}/to/to/to/a.png") == CONTENT
    with pytest.raises(NotFetched, match="redirects more than 4 times") as refused:
        fetch(f"{server}/round")
    assert refused.value.is_final


@pytest.mark.parametrize(
    ("path", "words", "is_final"),
    [
        ("/404", "answered 404", True),
        ("/403", "answered 403", True),
        ("/429", "answered 429", False),
        ("/500", "answered 500", False),
        ("/204", "answered 204", True),
        ("/short", "could not be reached", False),
    ],
)
def test_fetch_says_whether_another_try_is_worth_it(
    server: str, path: str, words: str, is_final: bool
) -> None:
    with pytest.raises(NotFetched, match=words) as refused:
        fetch(server + path)

    assert refused.value.is_final is is_final


def test_fetch_waits_no_longer_than_it_said(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_fetching, "WHOLE_S", 0.3)
    began = time.monotonic()

    with pytest.raises(NotFetched) as refused:
        fetch(f"{server}/slow")

    assert not refused.value.is_final
    assert time.monotonic() - began < 2.5


def test_fetch_reads_no_more_than_a_picture_may_have(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_fetching, "MOST_BYTES", len(CONTENT) - 1)

    with pytest.raises(NotFetched, match="more than") as refused:
        fetch(f"{server}/a.png")

    assert refused.value.is_final


def test_fetch_where_nobody_listens_may_be_tried_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    with pytest.raises(NotFetched, match="could not be reached") as refused:
        fetch(f"http://127.0.0.1:{port}/a.png")

    assert not refused.value.is_final


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.1", "100.64.0.1", "[::1]",
        "[fe80::1]", "[fd00::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "224.0.0.1", "240.0.0.1",
    ],
)  # fmt: skip
def test_private_address_is_refused_before_anything_is_asked(settings: LazySettings, host: str) -> None:
    settings.FETCH_PRIVATE = False

    with pytest.raises(NotFetched, match="not a public address") as refused:
        read_target(f"http://{host}/a.png")

    assert refused.value.is_final


@pytest.mark.parametrize(
    "found",
    [["127.0.0.1"], ["93.184.215.14", "10.0.0.1"], ["fe80::1%eth0"]],
    ids=["private", "mixed", "zone"],
)
def test_name_that_leads_to_a_private_address_is_refused(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch, found: list[str]
) -> None:
    settings.FETCH_PRIVATE = False
    rows = [(0, 0, 0, "", (one, 80)) for one in found]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: rows)

    with pytest.raises(NotFetched, match="not a public address"):
        resolve(read_target("http://example.org/a.png"))


def test_redirect_to_a_private_address_is_refused(
    server: str, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public_addresses, "is_public", lambda address: str(address) == "127.0.0.1")
    settings.FETCH_PRIVATE = False

    with pytest.raises(NotFetched, match=r"192\.168\.0\.1 is not a public address"):
        fetch(f"{server}/elsewhere")


@pytest.mark.parametrize(
    "url",
    [
        "", "a.png", "ftp://example.org/a", "file:///etc/passwd", "https://", "http://example.org:0/a",
        "http://example.org:x/a", "http://u:p@example.org/a", "http://exam ple.org/a", "http://[::1/a",
        "http://example.org/\r\nHost: x", "https://example.org/ä.png", "https://example.org/" + "a" * 2000,
    ],
    ids=range(13),
)  # fmt: skip
def test_what_is_no_address_is_refused_for_good(url: str) -> None:
    with pytest.raises(NotFetched) as refused:
        read_target(url)

    assert refused.value.is_final


def test_redirect_never_gives_up_encryption() -> None:
    target = read_target("https://example.org/a.png")

    assert target.follow("/b.png#x").url == "https://example.org/b.png"
    with pytest.raises(NotFetched, match="from https to http"):
        target.follow("http://example.org/b.png")
