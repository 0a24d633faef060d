"""Real servers on loopback that receive notifications and record them."""

import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from json import loads
from threading import Thread
from typing import Any

from crowd.marketplace.models import HIT, Destination
from crowd.marketplace.services import notifications
from tests.factories import NOW


@dataclass(frozen=True, kw_only=True)
class Post:
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = loads(self.body)
        return found

    @property
    def event_type(self) -> str:
        return str(self.document["Events"][0]["EventType"])


Answer = tuple[int, Mapping[str, str], bytes]


@dataclass(frozen=True, kw_only=True)
class Receiver:
    url: str
    posts: list[Post] = field(default_factory=list)

    @property
    def webhook(self) -> str:
        return f"webhook+{self.url}/events"

    @property
    def event_types(self) -> list[str]:
        return [post.event_type for post in self.posts]

    @property
    def document_ids(self) -> list[str]:
        return [post.document["EventDocId"] for post in self.posts]


@contextmanager
def receiving(
    *statuses: int, answer: Callable[[Post], Answer] | None = None, tls: ssl.SSLContext | None = None
) -> Iterator[Receiver]:
    """Run a receiver that answers the statuses in turn and then always 200, or as `answer` says."""
    left = list(statuses)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            size = int(self.headers["Content-Length"])
            post = Post(path=self.path, headers=dict(self.headers), body=self.rfile.read(size))
            receiver.posts.append(post)
            status, headers, body = answer(post) if answer else (left.pop(0) if left else 200, {}, b"")
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Write nothing to standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    scheme = "https" if tls else "http"
    receiver = Receiver(url=f"{scheme}://127.0.0.1:{server.server_address[1]}")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def tell(
    hit: HIT,
    address: str,
    *,
    event_types: Sequence[str] = ("AssignmentAccepted", "AssignmentSubmitted"),
    transport: str = "SNS",
    is_active: bool | None = None,
    now: datetime = NOW,
) -> Destination:
    """Subscribe the address to these events of the HIT's type, from now on."""
    wish = notifications.Wish(
        transport=transport, address=address, version="2014-08-15", event_types=event_types
    )
    notifications.set_notification(hit_type=hit.hit_type, wish=wish, is_active=is_active, now=now)
    return Destination.objects.get(settings__hit_type=hit.hit_type)
