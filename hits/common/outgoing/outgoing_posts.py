"""One POST to an address that has been checked, within a fixed time, without following redirects."""

import socket
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection

from hits.common.outgoing import Undeliverable
from hits.common.outgoing.outgoing_addresses import Target, resolve
from hits.common.outgoing.timed_speech import speaking

TIMEOUT_S = 5.0  # to connect, and again to answer
LARGEST_ANSWER = 65_536


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    body: bytes


def post(target: Target, *, body: bytes, headers: Mapping[str, str], wants_body: bool = False) -> Answer:
    """Send a POST. Raises Undeliverable if no answer came; the caller judges the answer."""
    try:
        with closing(_connect(target)) as connection:
            return _exchange(connection, target, body=body, headers=headers, wants_body=wants_body)
    except (OSError, HTTPException, ValueError) as problem:
        raise _failure(target, problem) from problem


def post_document(target: Target, *, body: bytes, headers: Mapping[str, str]) -> None:
    """Send a document. Delivered means a status of 2xx; Undeliverable is raised for any other."""
    status = post(target, body=body, headers=headers).status
    if 300 <= status < 400:
        raise Undeliverable(f"It answered {status}; redirects are not followed.")
    if not 200 <= status < 300:
        raise Undeliverable(f"It answered {status}.")


def _connect(target: Target) -> HTTPConnection:
    """Connect to the very address that was checked: looking the name up again could give another."""
    connection = (HTTPSConnection if target.is_tls else HTTPConnection)(target.host, target.port)
    deadline = time.monotonic() + TIMEOUT_S
    problem: OSError = TimeoutError("no address answered in time")
    for address in resolve(target):
        left = deadline - time.monotonic()
        if left <= 0:
            break
        try:
            connection.sock = socket.create_connection((address, target.port), timeout=left)
        except OSError as failed:
            problem = failed
        else:
            return connection
    raise problem


def _exchange(
    connection: HTTPConnection, target: Target, *, body: bytes, headers: Mapping[str, str], wants_body: bool
) -> Answer:
    """Send and read the answer, which takes a fixed time at most."""
    with speaking(connection, host=target.host, is_tls=target.is_tls, seconds=TIMEOUT_S):
        sent = {name: value for name, value in headers.items() if name.lower() != "host"}
        sent["Host"] = target.netloc
        try:
            connection.request("POST", target.path, body=body, headers=sent)
            return _read_answer(connection, wants_body=wants_body)
        except (OSError, HTTPException) as problem:
            raise _failure(target, problem, is_unclear=True) from problem


def _read_answer(connection: HTTPConnection, *, wants_body: bool) -> Answer:
    with connection.getresponse() as response:
        content = response.read(LARGEST_ANSWER) if wants_body else b""
        return Answer(status=response.status, body=content)


def _failure(target: Target, problem: Exception, *, is_unclear: bool = False) -> Undeliverable:
    words = f"{target.netloc} could not be reached: {problem or 'no answer'}"
    return Undeliverable(words, is_unclear=is_unclear)
