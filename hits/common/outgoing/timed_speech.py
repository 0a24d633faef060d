"""What is said over a connection takes a fixed time at most, in TLS where the address asks for it."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from http.client import HTTPConnection
from threading import Timer


@contextmanager
def speaking(connection: HTTPConnection, *, host: str, is_tls: bool, seconds: float) -> Iterator[None]:
    """Speak over a connected socket. Whoever trickles bytes to keep us waiting is cut off in any case."""
    sockets = [connection.sock]
    cut = Timer(seconds, _cut_off, [sockets])
    cut.start()
    try:
        connection.sock.settimeout(seconds)
        if is_tls:
            # The handshake comes after the socket is known, so that it too can be cut off.
            connection.sock = trusted_certificates().wrap_socket(
                connection.sock, server_hostname=host, do_handshake_on_connect=False
            )
            sockets.append(connection.sock)
            connection.sock.do_handshake()
        yield
    finally:
        cut.cancel()


@cache
def trusted_certificates() -> ssl.SSLContext:
    return ssl.create_default_context()


def _cut_off(sockets: list[socket.socket]) -> None:
    """Shut the socket itself, for the connection forgets it before the answer is read."""
    with suppress(OSError):
        # Not TLS's own shutdown: that would take its state away under the thread that reads.
        socket.socket.shutdown(sockets[-1], socket.SHUT_RDWR)
