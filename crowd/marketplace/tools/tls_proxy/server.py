"""The proxy itself: a thread per connection, CONNECT to the known hosts, each request passed on."""

import logging
import socket
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import ip_address
from socketserver import BaseRequestHandler, ThreadingTCPServer
from ssl import SSLSocket
from typing import BinaryIO
from urllib.parse import SplitResult, urlsplit

from crowd.marketplace.tools.tls_proxy.authority import Authority
from crowd.marketplace.tools.tls_proxy.messages import Head, HungUp, Refused, has_body, read_body, read_head

IDLE_S = 60.0
ANSWER_S = 120.0
# These are about one connection, and there are two; the lengths are written again.
HOP_BY_HOP = {
    "connection",
    "content-length",
    "expect",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
}
log = logging.getLogger(__name__)


class Misconfigured(Exception):
    """The proxy cannot start as configured; the message says what to change."""


class Proxy(ThreadingTCPServer):
    """A proxy on loopback only. Nothing is ever tunneled: every connection leads to the marketplace."""

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64

    def __init__(
        self,
        *,
        address: str,
        port: int,
        hosts: Sequence[str],
        marketplace: str,
        authority: Authority,
        idle_s: float = IDLE_S,
    ) -> None:
        _check_address(address)
        self.marketplace = _check_marketplace(marketplace)
        self.hosts = frozenset(hosts)
        self.authority = authority
        self.idle_s = idle_s
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, port), Connection)

    @property
    def url(self) -> str:
        host, port, *_ = self.socket.getsockname()
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def open_marketplace(self) -> HTTPConnection:
        """Open a connection for one request: none is sent twice because a kept connection had died."""
        kind = HTTPSConnection if self.marketplace.scheme == "https" else HTTPConnection
        return kind(self.marketplace.hostname or "", self.marketplace.port, timeout=ANSWER_S)


class Connection(BaseRequestHandler):
    """A program's connection: first in the clear, for CONNECT; then within TLS."""

    server: Proxy
    request: socket.socket

    def handle(self) -> None:
        self.request.settimeout(self.server.idle_s)
        # A client that hangs up, falls silent or does not trust the certificate needs no answer.
        with suppress(HungUp, OSError):
            host = self._let_in()
            if not host:
                return
            context = self.server.authority.context(now=datetime.now(UTC))
            with context.wrap_socket(self.request, server_side=True) as secured:
                _Tunnel(server=self.server, host=host, secured=secured).serve()

    def _let_in(self) -> str | None:
        """The requested host if it is one of ours; None if the request was refused or never came."""
        # Unbuffered: what follows the empty line belongs to TLS.
        with self.request.makefile("rb", buffering=0) as stream:
            try:
                head = read_head(stream)
                if not head:
                    return None
                host = self._host_of(head)
            except Refused as refusal:
                self.request.sendall(_refusal(refusal))
                return None
        self.request.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        return host

    def _host_of(self, head: Head) -> str:
        host, _, port = head.target.lower().rpartition(":")
        if head.method != "CONNECT" or host not in self.server.hosts or port != "443":
            log.warning("marketplace.proxy.refused: %s %s", head.method, head.target.partition("?")[0])
            raise Refused(HTTPStatus.FORBIDDEN, self._why_not(host))
        return host

    def _why_not(self, host: str) -> str:
        service, _, rest = host.partition(".")
        if rest.endswith(".amazonaws.com") and any(
            one.startswith(f"{service}.") for one in self.server.hosts
        ):
            return (
                "MTurk had one region: set AWS_DEFAULT_REGION=us-east-1, and in the program if it names one."
            )
        known = " or ".join(sorted(self.server.hosts))
        return f"This proxy leads to the marketplace alone, by CONNECT to {known}."


class _Tunnel:
    """The requests that one program sends within TLS, one after another."""

    def __init__(self, *, server: Proxy, host: str, secured: SSLSocket) -> None:
        self.server = server
        self.host = host
        self.secured = secured

    def serve(self) -> None:
        with self.secured.makefile("rb") as stream:
            while True:
                try:
                    head = read_head(stream)
                    if head is None:
                        return
                    answer = self._pass_on(head, stream)
                except Refused as refusal:
                    self.secured.sendall(_refusal(refusal))
                    return
                self.secured.sendall(answer)
                if not head.keeps_alive:
                    return

    def _pass_on(self, head: Head, stream: BinaryIO) -> bytes:
        if head.only("host").lower() not in (self.host, f"{self.host}:443") or head.target[0] != "/":
            raise Refused(HTTPStatus.FORBIDDEN, "The request is for another host than the connection.")
        if head.only("expect").lower() == "100-continue":
            self.secured.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = read_body(stream, head)
        marketplace = self.server.open_marketplace()
        try:
            _send(marketplace, head, body)
            return _answer(head, marketplace)
        except TimeoutError:
            raise Refused(HTTPStatus.GATEWAY_TIMEOUT, "The marketplace did not answer in time.") from None
        except (HTTPException, OSError) as error:
            log.warning("marketplace.proxy.no_answer: %s", type(error).__name__)
            raise Refused(
                HTTPStatus.BAD_GATEWAY, f"The marketplace at {self.server.marketplace.netloc} did not answer."
            ) from None
        finally:
            marketplace.close()


def _send(marketplace: HTTPConnection, head: Head, body: bytes) -> None:
    marketplace.putrequest(head.method, head.target, skip_host=True, skip_accept_encoding=True)
    for name, value in head.headers:
        if name.lower() not in HOP_BY_HOP:
            marketplace.putheader(name, value.encode("latin-1"))
    if has_body(head):
        marketplace.putheader("Content-Length", str(len(body)))
    marketplace.putheader("Connection", "close")
    marketplace.endheaders(body)


def _answer(head: Head, marketplace: HTTPConnection) -> bytes:
    answer = marketplace.getresponse()
    content = answer.read()
    headers = [(name, value) for name, value in answer.getheaders() if name.lower() not in HOP_BY_HOP]
    length = answer.headers.get("Content-Length", "0") if head.method == "HEAD" else str(len(content))
    if answer.status not in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED):
        headers.append(("Content-Length", length))
    if not head.keeps_alive:
        headers.append(("Connection", "close"))
    return _message(f"HTTP/1.1 {answer.status} {answer.reason}", headers) + content


def _refusal(refusal: Refused) -> bytes:
    """A refusal with its words in the first line too: of an answer to CONNECT, programs show no more."""
    content = f"{refusal}\n".encode()
    headers = [
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Length", str(len(content))),
        ("Connection", "close"),
    ]
    return _message(f"HTTP/1.1 {refusal.status.value} {refusal}", headers) + content


def _message(line: str, headers: Sequence[tuple[str, str]]) -> bytes:
    lines = [line, *(f"{name}: {value}" for name, value in headers), "", ""]
    return "\r\n".join(lines).encode("latin-1")


def _check_address(address: str) -> None:
    if address == "localhost" or not _is_loopback(address):
        raise Misconfigured(f"The proxy listens on loopback only (127.0.0.1 or ::1), not on {address}.")


def _check_marketplace(url: str) -> SplitResult:
    """Check the address: Amazon's servers are never contacted, and only TLS crosses a network."""
    try:
        site = urlsplit(url)
        host, _ = (site.hostname or "").lower().rstrip("."), site.port
    except ValueError:
        raise Misconfigured(f"{url!r} is not an address.") from None
    if site.scheme not in ("http", "https") or not host or site.path.strip("/") or site.query:
        raise Misconfigured(f"The marketplace's address looks like https://market.example.org, not {url!r}.")
    if host == "amazonaws.com" or host.endswith(".amazonaws.com"):
        raise Misconfigured("The proxy leads to a marketplace of your own, never to Amazon.")
    if site.scheme == "http" and not _is_loopback(host):
        raise Misconfigured(f"A marketplace on another machine needs https, not {url!r}.")
    return site


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
