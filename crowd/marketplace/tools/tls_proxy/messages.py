"""HTTP/1.1 as far as a proxy must read it. Strict: ambiguous messages are refused."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

LONGEST_LINE = 8190
MOST_HEADERS = 100
LONGEST_BODY = 4 * 1024 * 1024  # above what the marketplace itself accepts
TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
REQUEST_LINE = re.compile(rb"(" + TOKEN + rb") ([\x21-\x7e]+) HTTP/1\.([01])")
HEADER = re.compile(rb"(" + TOKEN + rb"):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*")
CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[\t\x20-\x7e]*)?")


class HungUp(Exception):
    """The other side closed the connection in the middle of a message."""


class Refused(Exception):
    """A refusal that becomes an answer with this status, after which the connection is closed."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class Stream(Protocol):
    """The reading side of a socket's makefile, buffered or not."""

    def readline(self, size: int, /) -> bytes: ...
    def read(self, size: int, /) -> bytes | None: ...


@dataclass(frozen=True, kw_only=True)
class Head:
    """The request line and the headers, in their order and spelling."""

    method: str
    target: str
    version: str
    headers: tuple[tuple[str, str], ...]

    def only(self, name: str) -> str:
        """The header, empty if absent. A repeat is refused: two readers may believe different ones."""
        values = [value for given, value in self.headers if given.lower() == name]
        if len(values) > 1:
            raise Refused(HTTPStatus.BAD_REQUEST, f"There is more than one {name} header.")
        return values[0] if values else ""

    @property
    def keeps_alive(self) -> bool:
        wishes = {
            wish.strip().lower()
            for name, value in self.headers
            if name.lower() == "connection"
            for wish in value.split(",")
        }
        return "close" not in wishes if self.version == "1.1" else "keep-alive" in wishes


def read_head(stream: Stream) -> Head | None:
    """Read a request's head; None if the connection was closed between two requests, as is proper."""
    first = stream.readline(LONGEST_LINE + 1)
    if not first:
        return None
    match = REQUEST_LINE.fullmatch(_without_ending(first))
    if not match:
        raise Refused(HTTPStatus.BAD_REQUEST, "The request line is not one of HTTP/1.1.")
    method, target, minor = (part.decode("ascii") for part in match.groups())
    return Head(method=method, target=target, version=f"1.{minor}", headers=tuple(_read_headers(stream)))


def read_body(stream: Stream, head: Head) -> bytes:
    """Read the whole body, without the chunks in which it may have come."""
    coding, length = head.only("transfer-encoding").lower(), head.only("content-length")
    if coding and (coding != "chunked" or length):
        raise Refused(HTTPStatus.BAD_REQUEST, "A body is chunked or has a Content-Length, nothing else.")
    if coding:
        return _read_chunks(stream)
    if not length:
        return b""
    if not (length.isascii() and length.isdigit() and len(length) < 10):
        raise Refused(HTTPStatus.BAD_REQUEST, "Content-Length is not a length.")
    return _read_exactly(stream, _check_length(int(length)))


def has_body(head: Head) -> bool:
    return bool(head.only("transfer-encoding") or head.only("content-length"))


def _read_headers(stream: Stream) -> Iterator[tuple[str, str]]:
    for _ in range(MOST_HEADERS + 1):
        line = _read_line(stream)
        if not line:
            return
        match = HEADER.fullmatch(line)
        if not match:
            raise Refused(HTTPStatus.BAD_REQUEST, "A header line is malformed.")
        yield match[1].decode("ascii"), match[2].decode("latin-1")
    raise Refused(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"More than {MOST_HEADERS} headers.")


def _read_chunks(stream: Stream) -> bytes:
    body = bytearray()
    while True:
        match = CHUNK_SIZE.fullmatch(_read_line(stream))
        if not match:
            raise Refused(HTTPStatus.BAD_REQUEST, "A chunk has no size.")
        size = int(match[1], 16)
        if not size:
            list(_read_headers(stream))  # trailers: read and dropped
            return bytes(body)
        _check_length(len(body) + size)
        body += _read_exactly(stream, size)
        if _read_line(stream):
            raise Refused(HTTPStatus.BAD_REQUEST, "A chunk is longer than its size.")


def _check_length(length: int) -> int:
    if length > LONGEST_BODY:
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A body has at most {LONGEST_BODY} bytes.")
    return length


def _read_exactly(stream: Stream, size: int) -> bytes:
    content = stream.read(size) or b""
    if len(content) < size:
        raise HungUp
    return content


def _read_line(stream: Stream) -> bytes:
    line = stream.readline(LONGEST_LINE + 1)
    if not line:
        raise HungUp
    return _without_ending(line)


def _without_ending(line: bytes) -> bytes:
    if line.endswith(b"\r\n"):
        return line[:-2]
    if len(line) > LONGEST_LINE:
        raise Refused(HTTPStatus.REQUEST_URI_TOO_LONG, f"A line has at most {LONGEST_LINE} characters.")
    if line.endswith(b"\n"):
        raise Refused(HTTPStatus.BAD_REQUEST, "Lines end with CR and LF.")
    raise HungUp
