"""Fetching of one picture from one address, within a fixed time and size. Never called in a web request."""

import socket
import time
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection

from crowd.pictures.bringing.public_addresses import Target, read_target, resolve
from crowd.pictures.errors import NotFetched
from crowd.pictures.files.contents import MOST_BYTES
from hits.common.outgoing.timed_speech import speaking

CONNECT_S = 5.0
WHOLE_S = 20.0
MOST_REDIRECTS = 4
MOVED = frozenset({301, 302, 303, 307, 308})
# The other side is busy or broken now, and may not be another time.
PASSING = frozenset({408, 425, 429})
HEADERS = {
    "Accept": "image/png, image/jpeg, image/webp, image/svg+xml;q=0.9",
    "Accept-Encoding": "identity",
    "User-Agent": "crowd-pictures",
    "Connection": "close",
}


def fetch(url: str) -> bytes:
    """Fetch bytes, which are judged by their content alone, never by their name. Raises NotFetched."""
    target = read_target(url)
    deadline = time.monotonic() + WHOLE_S
    for _ in range(MOST_REDIRECTS + 1):
        try:
            with closing(_connect(target)) as connection:
                found = _exchange(connection, target, left=deadline - time.monotonic())
        except (OSError, HTTPException, ValueError) as problem:
            words = f"{target.netloc} could not be reached: {problem or 'no answer'}"
            raise NotFetched(words, is_final=False) from problem
        if isinstance(found, bytes):
            return found
        target = found
    raise NotFetched(f"The address redirects more than {MOST_REDIRECTS} times.", is_final=True)


def _connect(target: Target) -> HTTPConnection:
    """Connect to the very address that was judged: looking the name up again could give another."""
    connection = (HTTPSConnection if target.is_tls else HTTPConnection)(target.host, target.port)
    problem: OSError = TimeoutError("no address answered in time")
    for address in resolve(target)[:3]:
        try:
            connection.sock = socket.create_connection((address, target.port), timeout=CONNECT_S)
        except OSError as failed:
            problem = failed
        else:
            return connection
    raise problem


def _exchange(connection: HTTPConnection, target: Target, *, left: float) -> bytes | Target:
    """Send the request. A server that trickles bytes to keep us waiting is cut off, whatever it has sent."""
    if left <= 0:
        raise TimeoutError("it took too long")
    with speaking(connection, host=target.host, is_tls=target.is_tls, seconds=left):
        connection.request("GET", target.path, headers={**HEADERS, "Host": target.netloc})
        with connection.getresponse() as response:
            return _read(response, target)


def _read(response: HTTPResponse, target: Target) -> bytes | Target:
    status, location = response.status, response.headers.get("Location", "")
    if status in MOVED and location:
        return target.follow(location)
    if status != 200:
        is_final = status < 500 and status not in PASSING
        raise NotFetched(f"{target.netloc} answered {status}.", is_final=is_final)
    content = response.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise NotFetched(f"The file has more than {MOST_BYTES // 1_000_000} MB.", is_final=True)
    if response.length:
        raise TimeoutError("the answer broke off")
    return content
