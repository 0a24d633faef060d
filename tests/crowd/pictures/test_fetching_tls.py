"""Fetching over real HTTPS: a server on loopback with a certificate of its own, trusted or not."""

import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.conf import LazySettings

from crowd.marketplace.tools.tls_proxy.authority import Authority
from crowd.pictures.bringing import picture_fetching, public_addresses
from crowd.pictures.bringing.picture_fetching import fetch
from crowd.pictures.errors import NotFetched
from hits.common.outgoing.timed_speech import trusted_certificates

pytestmark = pytest.mark.pure
CONTENT = b"bytes of a picture"
HOST = "localhost"


class Server(ThreadingHTTPServer):
    """An HTTPS server that sends one picture or a redirect, and records the requests."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, context: ssl.SSLContext) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        # The thread of a connection makes the handshake, when it begins to read.
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.asked: list[str] = []

    def url(self, path: str, *, host: str = HOST) -> str:
        return f"https://{host}:{self.server_port}{path}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that hang up during the handshake because they do not trust the certificate."""


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(f"{self.headers['Host'].partition(':')[0]} {self.path}")
        place = self.path.removeprefix("/to/")
        self.send_response(200 if place == self.path else 302)
        if place != self.path:
            self.send_header("Location", place)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT)

    def log_message(self, *args: Any) -> None:
        pass


@contextmanager
def serving(context: ssl.SSLContext) -> Iterator[Server]:
    with Server(context) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(folder=tmp_path_factory.mktemp("authority"), hosts=[HOST], now=datetime.now(tz=UTC))


@pytest.fixture
def server(authority: Authority) -> Iterator[Server]:
    with serving(authority.context(now=datetime.now(tz=UTC))) as started:
        yield started


@pytest.fixture
def trust(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Name a certificate bundle in place of the system's, as a person who runs the product would."""

    def name(bundle: Path) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
        trusted_certificates.cache_clear()

    trusted_certificates.cache_clear()
    yield name
    trusted_certificates.cache_clear()


@pytest.fixture
def _trusted(authority: Authority, trust: Callable[[Path], None]) -> None:
    trust(authority.bundle)


@pytest.fixture(autouse=True)
def _private(settings: LazySettings) -> None:
    settings.FETCH_PRIVATE = True


@pytest.mark.usefixtures("_trusted")
def test_picture_comes_over_https(server: Server) -> None:
    assert fetch(server.url("/a.png?size=large")) == CONTENT
    assert server.asked == ["localhost /a.png?size=large"]


@pytest.mark.usefixtures("trust")
def test_certificate_that_nobody_vouches_for_is_refused_before_anything_is_asked(server: Server) -> None:
    with pytest.raises(NotFetched, match="certificate verify failed") as refused:
        fetch(server.url("/a.png"))

    assert (refused.value.is_final, server.asked) == (False, [])


@pytest.mark.usefixtures("_trusted")
def test_certificate_of_another_name_is_refused(server: Server) -> None:
    with pytest.raises(NotFetched, match="IP address mismatch"):
        fetch(server.url("/a.png", host="127.0.0.1"))

    assert server.asked == []


def test_certificate_whose_time_is_over_is_refused(tmp_path: Path, trust: Callable[[Path], None]) -> None:
    then = datetime.now(tz=UTC) - timedelta(days=10)
    old = Authority(folder=tmp_path, hosts=[HOST], now=then)
    trust(old.bundle)

    with serving(old.context(now=then)) as server, pytest.raises(NotFetched, match="expired"):
        fetch(server.url("/a.png"))

    assert server.asked == []


@pytest.mark.usefixtures("_trusted")
def test_redirect_is_followed_over_https_and_its_certificate_is_looked_at_too(server: Server) -> None:
    assert fetch(server.url("/to//b.png")) == CONTENT
    elsewhere = server.url("/c.png", host="127.0.0.1")
    with pytest.raises(NotFetched, match="IP address mismatch"):
        fetch(server.url(f"/to/{elsewhere}"))

    assert server.asked == ["localhost /to//b.png", "localhost /b.png", f"localhost /to/{elsewhere}"]


@pytest.mark.usefixtures("_trusted")
def test_redirect_to_http_is_refused(server: Server) -> None:
    with pytest.raises(NotFetched, match="from https to http") as refused:
        fetch(server.url("/to/http://localhost/b.png"))

    assert refused.value.is_final


@pytest.mark.usefixtures("_trusted")
def test_own_network_is_asked_only_where_a_setting_says_so(server: Server, settings: LazySettings) -> None:
    settings.FETCH_PRIVATE = False

    with pytest.raises(NotFetched, match="localhost is not a public address"):
        fetch(server.url("/a.png"))

    assert server.asked == []


@pytest.mark.usefixtures("_trusted")
def test_redirect_into_the_own_network_is_refused(
    server: Server, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.FETCH_PRIVATE = False
    monkeypatch.setattr(public_addresses, "is_public", lambda address: address.is_loopback)

    with pytest.raises(NotFetched, match=r"192\.168\.0\.1 is not a public address"):
        fetch(server.url("/to/https://192.168.0.1/a.png"))


def test_server_that_never_ends_its_handshake_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_fetching, "WHOLE_S", 0.3)
    began = time.monotonic()

    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(NotFetched) as refused:
        fetch(f"https://127.0.0.1:{silent.getsockname()[1]}/a.png")

    assert not refused.value.is_final
    assert time.monotonic() - began < 2.5
