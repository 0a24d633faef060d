"""The loopback TLS proxy for programs that only know Amazon's host names."""

import json
import signal
import socket
import ssl
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from http.client import HTTPResponse, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import BaseServer
from threading import Thread
from typing import Any

import boto3
import pytest
from botocore.config import Config
from django.conf import settings
from django.utils import timezone

from crowd.marketplace.tools.tls_proxy import authority
from crowd.marketplace.tools.tls_proxy.authority import Authority
from crowd.marketplace.tools.tls_proxy.server import Misconfigured, Proxy
from tests.config.processes import ROOT, scratch_environ
from tests.conftest import Sites
from tests.factories import NOW, make_requester

pytestmark = pytest.mark.pure  # starts processes with databases of their own

HOSTS = (
    "mturk-requester.us-east-1.amazonaws.com",
    "mturk-requester-sandbox.us-east-1.amazonaws.com",
    "sns.us-east-1.amazonaws.com",
)
SANDBOX = HOSTS[1]
PATIENCE_S = 30.0  # a busy machine is slow


class Echo(ThreadingHTTPServer):
    """A marketplace that answers with the request it received, and records it."""

    asked: list[dict[str, Any]]


class EchoAnswers(BaseHTTPRequestHandler):
    server: Echo
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        asked = {
            "line": self.requestline,
            "headers": [list(item) for item in self.headers.items()],
            "body": body.decode("latin-1"),
        }
        self.server.asked.append(asked)
        content = json.dumps(asked).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        return


@contextmanager
def served(server: BaseServer) -> Iterator[None]:
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()


@pytest.fixture
def marketplace() -> Iterator[Echo]:
    with Echo(("127.0.0.1", 0), EchoAnswers) as server:
        server.asked = []
        with served(server):
            yield server


@pytest.fixture
def proxy(marketplace: Echo, tmp_path: Path) -> Iterator[Proxy]:
    with proxy_to(f"http://127.0.0.1:{marketplace.server_port}", folder=tmp_path) as running:
        yield running


@contextmanager
def proxy_to(url: str, *, folder: Path, idle_s: float = PATIENCE_S) -> Iterator[Proxy]:
    with make_proxy(marketplace=url, folder=folder, idle_s=idle_s) as running, served(running):
        yield running


def make_proxy(
    *,
    folder: Path,
    address: str = "127.0.0.1",
    marketplace: str = "http://127.0.0.1:1",
    idle_s: float = PATIENCE_S,
) -> Proxy:
    return Proxy(
        address=address,
        port=0,
        hosts=HOSTS,
        marketplace=marketplace,
        authority=Authority(folder=folder, hosts=HOSTS, now=timezone.now()),
        idle_s=idle_s,
    )


@contextmanager
def in_the_clear(proxy: Proxy) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", proxy.server_address[1]), timeout=PATIENCE_S) as connection:
        yield connection


@contextmanager
def tunneled(proxy: Proxy, *, host: str = SANDBOX) -> Iterator[ssl.SSLSocket]:
    """Connect to the host by TLS, as a client that trusts the proxy's authority and no other."""
    trusting = ssl.create_default_context(cafile=str(proxy.authority.bundle))
    with in_the_clear(proxy) as connection:
        connection.sendall(f"CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\n\r\n".encode())
        assert read_answer(connection).status == 200
        with trusting.wrap_socket(connection, server_hostname=host) as secured:
            yield secured


def post(*lines: str, host: str = SANDBOX, body: bytes = b"") -> bytes:
    return "\r\n".join(["POST / HTTP/1.1", f"Host: {host}", *lines, "", ""]).encode() + body


def read_answer(connection: socket.socket) -> HTTPResponse:
    answer = HTTPResponse(
        connection, method="CONNECT" if not isinstance(connection, ssl.SSLSocket) else "POST"
    )
    answer.begin()
    return answer


def ask(connection: socket.socket, request: bytes) -> tuple[int, bytes]:
    connection.sendall(request)
    answer = read_answer(connection)
    return answer.status, answer.read()


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except OSError:
        return True


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("host", HOSTS)
def test_proxy_leads_boto3_with_amazons_address_to_the_marketplace(
    sites: Sites, tmp_path: Path, host: str
) -> None:
    credentials = make_requester(now=timezone.now())

    with proxy_to(sites.marketplace, folder=tmp_path) as proxy:
        client = boto3.session.Session().client(
            "mturk",
            region_name="us-east-1",
            endpoint_url=f"https://{host}",
            aws_access_key_id=credentials.access_key_id,
            aws_secret_access_key=credentials.secret_access_key,
            verify=str(proxy.authority.bundle),
            config=Config(proxies={"https": proxy.url}),
        )
        balance = client.get_account_balance()["AvailableBalance"]
        client.close()

    assert balance == "100.00"


def test_proxy_hosts_are_those_the_marketplace_answers_to() -> None:
    assert set(settings.AMAZON_HOSTS) == set(HOSTS)


def test_proxy_passes_a_request_on_unchanged(proxy: Proxy) -> None:
    signed = ["X-Amz-Date: 20261121T120000Z", "x-amz-target:  T.GetHIT", "Authorization: AWS4 a, b=c"]

    with tunneled(proxy) as connection:
        status, content = ask(connection, post(*signed, "Content-Length: 3", body=b'{"\xff'))

    asked = json.loads(content)
    assert status == 200
    assert asked["line"] == "POST / HTTP/1.1"
    assert asked["body"] == '{"\xff'
    assert asked["headers"] == [
        ["Host", SANDBOX],
        ["X-Amz-Date", "20261121T120000Z"],
        ["x-amz-target", "T.GetHIT"],
        ["Authorization", "AWS4 a, b=c"],
        ["Content-Length", "3"],
        ["Connection", "close"],
    ]


def test_proxy_keeps_a_connection_for_the_next_request(proxy: Proxy) -> None:
    with tunneled(proxy) as connection:
        first = ask(connection, post("Content-Length: 1", body=b"1"))
        second = ask(connection, post("Content-Length: 1", "Connection: close", body=b"2"))
        closed = is_closed(connection)

    assert [json.loads(content)["body"] for _, content in (first, second)] == ["1", "2"]
    assert closed


def test_proxy_gathers_a_chunked_body(proxy: Proxy) -> None:
    chunks = b"3\r\nabc\r\n2;note=1\r\nde\r\n0\r\nTrailer: t\r\n\r\n"

    with tunneled(proxy) as connection:
        status, content = ask(connection, post("Transfer-Encoding: chunked", body=chunks))

    asked = json.loads(content)
    assert (status, asked["body"]) == (200, "abcde")
    assert ["Content-Length", "5"] in asked["headers"]


def test_proxy_tells_a_client_that_waits_to_go_on(proxy: Proxy) -> None:
    with tunneled(proxy) as connection:
        connection.sendall(post("Content-Length: 2", "Expect: 100-continue"))
        waited = connection.recv(1000)
        status, _ = ask(connection, b"ok")

    assert (waited, status) == (b"HTTP/1.1 100 Continue\r\n\r\n", 200)


@pytest.mark.parametrize(
    "line",
    [
        "CONNECT example.org:443 HTTP/1.1",
        "CONNECT s3.us-east-1.amazonaws.com:443 HTTP/1.1",
        f"CONNECT {SANDBOX}.example.org:443 HTTP/1.1",
        f"CONNECT {SANDBOX}:80 HTTP/1.1",
        f"CONNECT {SANDBOX} HTTP/1.1",
        "CONNECT 127.0.0.1:443 HTTP/1.1",
        f"GET https://{SANDBOX}/ HTTP/1.1",
        "GET http://localhost:8000/ HTTP/1.1",
    ],
)
def test_proxy_opens_no_way_to_other_places(proxy: Proxy, marketplace: Echo, line: str) -> None:
    with in_the_clear(proxy) as connection:
        connection.sendall(f"{line}\r\nHost: x\r\n\r\n".encode())
        answer = read_answer(connection)
        status = answer.status
        answer.read()

        assert (status, is_closed(connection)) == (403, True)
    assert marketplace.asked == []


@pytest.mark.parametrize("service", ["mturk-requester", "mturk-requester-sandbox", "sns"])
def test_program_of_another_region_is_told_why_it_is_refused(proxy: Proxy, service: str) -> None:
    with in_the_clear(proxy) as connection:
        connection.sendall(f"CONNECT {service}.eu-west-1.amazonaws.com:443 HTTP/1.1\r\n\r\n".encode())
        answer = read_answer(connection)

    assert (answer.status, "AWS_DEFAULT_REGION=us-east-1" in answer.reason) == (403, True)


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (post("Content-Length: 0", host="localhost:8000"), 403),
        (post("Content-Length: 0", host=HOSTS[0]), 403),
        (b"POST https://example.org/ HTTP/1.1\r\nHost: " + SANDBOX.encode() + b"\r\n\r\n", 403),
        (b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", 403),
        (post("Content-Length: 1", "Content-Length: 2"), 400),
        (post("Content-Length: 1", "Transfer-Encoding: chunked"), 400),
        (post("Transfer-Encoding: gzip, chunked"), 400),
        (post("Content-Length: -1"), 400),
        (post("Content-Length: ²"), 400),
        (post("Transfer-Encoding: chunked", body=b"x\r\n"), 400),
        (post("Transfer-Encoding: chunked", body=b"1\r\nab\r\n"), 400),
        (post("Space before: colon"), 400),
        (post("A: 1", " folded"), 400),
        (post(f"Host: {SANDBOX}"), 400),
        (b"nonsense\r\n\r\n", 400),
        (b"POST / HTTP/1.1\nHost: x\n\n", 400),
        (post("Content-Length: 4194305"), 413),
        (post("Transfer-Encoding: chunked", body=b"400001\r\n"), 413),
        (post(*[f"A{number}: 1" for number in range(100)]), 431),
        (post(f"A: {'a' * 9000}"), 414),
    ],
)
def test_proxy_refuses_what_could_be_read_in_two_ways(
    proxy: Proxy, marketplace: Echo, request_: bytes, status: int
) -> None:
    with tunneled(proxy) as connection:
        answered, _ = ask(connection, request_)
        closed = is_closed(connection)

    assert (answered, closed) == (status, True)
    assert marketplace.asked == []


def test_proxy_says_when_the_marketplace_is_away(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: no other process can answer there
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"

        with proxy_to(url, folder=tmp_path) as proxy, tunneled(proxy) as connection:
            status, _ = ask(connection, post("Content-Length: 0"))

    assert status == 502


@pytest.mark.parametrize("said", [b"", b"POST / HT", post("Content-Length: 9", body=b"half")])
def test_proxy_survives_a_client_that_hangs_up(proxy: Proxy, marketplace: Echo, said: bytes) -> None:
    with tunneled(proxy) as connection:
        connection.sendall(said)

    with tunneled(proxy) as connection:
        status, _ = ask(connection, post("Content-Length: 0"))

    assert (status, len(marketplace.asked)) == (200, 1)


def test_proxy_survives_a_client_that_does_not_trust_it(proxy: Proxy) -> None:
    stranger = HTTPSConnection("127.0.0.1", proxy.server_address[1], timeout=PATIENCE_S)
    stranger.set_tunnel(SANDBOX, 443)

    with pytest.raises(ssl.SSLCertVerificationError):
        stranger.request("POST", "/")
    stranger.close()
    with tunneled(proxy) as connection:
        status, _ = ask(connection, post("Content-Length: 0"))

    assert status == 200


def test_proxy_leaves_a_silent_client(marketplace: Echo, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{marketplace.server_port}"

    with proxy_to(url, folder=tmp_path, idle_s=2.0) as proxy, tunneled(proxy) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHos")

        assert is_closed(connection)


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.1", "example.org", "localhost", ""])  # noqa: S104
def test_proxy_listens_on_loopback_only(tmp_path: Path, address: str) -> None:
    with pytest.raises(Misconfigured, match="loopback"):
        make_proxy(folder=tmp_path, address=address)


@pytest.mark.parametrize(
    "url",
    [
        "https://mturk-requester.us-east-1.amazonaws.com",
        "https://MTURK-requester.us-east-1.AmazonAWS.com.",
        "http://market.example.org",
        "https://market.example.org/path",
        "https://market.example.org:many",
        "ftp://localhost",
        "localhost:8000",
        "",
    ],
)
def test_proxy_leads_neither_to_amazon_nor_unencrypted_over_a_network(tmp_path: Path, url: str) -> None:
    with pytest.raises(Misconfigured):
        make_proxy(folder=tmp_path, marketplace=url)


@pytest.mark.parametrize("url", ["http://localhost:8000", "http://[::1]:8000", "https://market.example.org"])
def test_proxy_leads_to_a_marketplace_of_ones_own(tmp_path: Path, url: str) -> None:
    with make_proxy(folder=tmp_path, marketplace=url) as proxy:
        assert proxy.marketplace.geturl() == url


def test_authority_is_made_once_and_its_key_is_nobody_elses(tmp_path: Path) -> None:
    bundles = [Authority(folder=tmp_path, hosts=HOSTS, now=NOW).bundle.read_bytes() for _ in range(2)]

    assert bundles[0] == bundles[1]
    assert b"PRIVATE" not in bundles[0]
    assert stat.S_IMODE((tmp_path / "authority.pem").stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["authority.pem", "ca.pem"]


@pytest.mark.parametrize(
    ("later", "hosts", "is_kept"),
    [
        (timedelta(days=300), HOSTS, True),
        (timedelta(days=336), HOSTS, False),
        (timedelta(0), HOSTS[:1], False),
    ],
)
def test_authority_is_renewed_before_it_ends_or_for_other_hosts(
    tmp_path: Path, later: timedelta, hosts: Sequence[str], is_kept: bool
) -> None:
    first = Authority(folder=tmp_path, hosts=HOSTS, now=NOW).bundle.read_bytes()

    second = Authority(folder=tmp_path, hosts=hosts, now=NOW + later).bundle.read_bytes()

    assert (first == second) is is_kept


def test_authority_renews_its_servers_certificate_every_day(tmp_path: Path) -> None:
    made = Authority(folder=tmp_path, hosts=HOSTS, now=NOW)

    contexts = [made.context(now=NOW + timedelta(hours=hours)) for hours in (0, 23, 24, 25)]

    assert contexts[0] is contexts[1]
    assert contexts[1] is not contexts[2]
    assert contexts[2] is contexts[3]


@pytest.mark.parametrize(("host", "is_trusted"), [(SANDBOX, True), ("example.org", False)])
def test_authority_cannot_vouch_for_other_hosts(tmp_path: Path, host: str, is_trusted: bool) -> None:
    """A thief of its key could forge certificates for these names and no others."""
    now = timezone.now()
    made = Authority(folder=tmp_path, hosts=HOSTS, now=now)
    stolen = authority._read(tmp_path / "authority.pem")
    forged = tmp_path / "forged.pem"
    forged.write_bytes(authority._issue_leaf(stolen, hosts=[host], now=now).pem())

    assert shakes_hands(host, server=forged, trusted=made.bundle) is is_trusted


def shakes_hands(host: str, *, server: Path, trusted: Path) -> bool:
    """Whether a TLS handshake succeeds between a client and a server in memory."""
    answering = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    answering.load_cert_chain(server)
    asking = ssl.create_default_context(cafile=str(trusted))
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides = [
        asking.wrap_bio(to_client, to_server, server_hostname=host),
        answering.wrap_bio(to_server, to_client, server_side=True),
    ]
    for side in sides * 2:
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
        except ssl.SSLCertVerificationError:
            return False
    return True


def test_proxy_command_prints_what_to_set_and_ends_when_told(tmp_path: Path) -> None:
    environ = scratch_environ(tmp_path)
    with subprocess.Popen(
        [sys.executable, "manage.py", "marketplace_proxy", "--port", "0"],
        cwd=ROOT,
        env=environ,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        printed = [process.stdout.readline().strip() for _ in range(6)]
        process.send_signal(signal.SIGTERM)
        code = process.wait(timeout=PATIENCE_S)

    bundle = tmp_path / "proxy" / "ca.pem"
    assert printed[0].startswith("export HTTPS_PROXY=http://127.0.0.1:")
    names = ("AWS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
    assert printed[1:] == [f"export {name}={bundle}" for name in names]
    assert (bundle.exists(), code) == (True, 0)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--address", "0.0.0.0"], "loopback only"),  # noqa: S104
        (["--marketplace", "https://mturk-requester.us-east-1.amazonaws.com"], "never to Amazon"),
        (["--port", "70000"], "cannot be listened on"),
    ],
)
def test_proxy_command_refuses(tmp_path: Path, options: list[str], said: str) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "marketplace_proxy", *options],
        cwd=ROOT,
        env=scratch_environ(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert said in done.stderr
    assert done.stdout == ""
