"""Each lie and cut of the adversary's proxy and relay does what its name says."""

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

import pytest

from tests.promise.adversary.proxy import KINDS, Lie, Proxy
from tests.promise.adversary.relay import Relay

pytestmark = pytest.mark.pure
BROKEN = "broken off"


class Provider(ThreadingHTTPServer):
    daemon_threads = True
    asked = 0


class _Answer(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked += 1
        content = f'{{"Number": {self.server.asked}}}'.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None: ...


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[None]:
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def provider() -> Iterator[Provider]:
    server = Provider(("127.0.0.1", 0), _Answer)
    with serving(server):
        yield server


@pytest.fixture
def proxy(provider: Provider) -> Iterator[Proxy]:
    proxy = Proxy(port=provider.server_address[1])
    yield proxy
    proxy.shutdown()
    proxy.server_close()


def ask(proxy: Proxy, body: str = "{}") -> str:
    with closing(HTTPConnection("127.0.0.1", urlsplit(proxy.url).port or 0, timeout=5)) as way:
        try:
            way.request("POST", "/", body, {"X-Amz-Target": "Requester.SendBonus"})
            answer: str = way.getresponse().read().decode()
        except (OSError, HTTPException):
            return BROKEN
    return answer


TOLD = {
    "lost": (BROKEN, 1),
    "cut": (BROKEN, 2),
    "doubled": ('{"Number": 3}', 3),
    "delayed": ('{"Number": 2}', 2),
    "late": (BROKEN, 2),
    "empty": ("{}", 2),
    "bent": ('{"HIT": [], "HITs": {}, "Assignments": {}, "BonusPayments": 7, "NumResults": "many"}', 2),
    "page": ("<html></html>", 2),
    "replayed": ('{"Number": 1}', 1),
    "stale": ('{"Number": 1}', 1),
    "reset": (BROKEN, 2),
    "half_open": (BROKEN, 1),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_lie_is_told_once_and_then_the_truth(provider: Provider, proxy: Proxy, kind: str) -> None:
    ask(proxy)
    proxy.lie(Lie(kind=kind, operation="SendBonus", times=1, seconds=0.05))

    said = ask(proxy)
    proxy.calm()
    asked = provider.asked

    assert ((said, asked), proxy.told[kind]) == (TOLD[kind], 1)
    assert ask(proxy) == f'{{"Number": {asked + 1}}}'


def test_an_answer_is_stale_only_to_the_same_question(proxy: Proxy) -> None:
    ask(proxy, '{"One": 1}')
    proxy.lie(Lie(kind="stale", operation="", times=1))

    assert ask(proxy, '{"Other": 2}') == '{"Number": 2}'
    assert ask(proxy, '{"One": 1}') == '{"Number": 1}'


def test_a_relay_cuts_whoever_speaks_and_refuses_while_it_is_shut() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        relay = Relay(host="127.0.0.1", port=server.getsockname()[1])
        caller = socket.create_connection(("127.0.0.1", relay.port), timeout=5)
        answering, _ = server.accept()
        with closing(caller), closing(answering):
            caller.sendall(b"one")
            heard = answering.recv(10)

            relay.shut()
            ended = caller.recv(10)

        with closing(socket.create_connection(("127.0.0.1", relay.port), timeout=5)) as another:
            refused = another.recv(10)
        relay.close()

    assert (heard, ended, refused) == (b"one", b"", b"")
