"""A small server of our own that receives notifications."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from crowd.marketplace.tools.conformance.outcomes import Failed

PATIENCE_S = 20


@dataclass
class Listener:
    """A receiver of notifications that keeps each body byte for byte."""

    address: str
    bodies: list[bytes] = field(default_factory=list)

    @classmethod
    @contextmanager
    def listening(cls) -> Iterator["Listener"]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        listener = cls(address=f"http://127.0.0.1:{server.server_port}/notifications")
        server.take = listener.bodies.append  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield listener
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def documents(self) -> list[tuple[bytes, dict[str, Any]]]:
        """Each notification with the bytes that carried it, in the order of arrival."""
        return [_unwrap(body) for body in list(self.bodies)]

    def events(self) -> list[dict[str, Any]]:
        """The events of each document once, by EventDocId, in the order of arrival."""
        found = {document["EventDocId"]: document for _, document in self.documents()}
        return [event for document in found.values() for event in document["Events"]]

    def wait(self, what: str, until: Callable[["Listener"], object], *, nudge: Callable[[], None]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not until(self):
            if time.monotonic() > deadline:
                raise Failed(f"{what} did not come; {[event['EventType'] for event in self.events()]} came")
            nudge()
            time.sleep(0.05)


def _unwrap(body: bytes) -> tuple[bytes, dict[str, Any]]:
    """The document and its bytes. An SNS-style post carries the notification as text in `Message`."""
    outer: dict[str, Any] = json.loads(body)
    if "Message" in outer:
        inner: dict[str, Any] = json.loads(outer["Message"])
        return outer["Message"].encode(), inner
    return body, outer


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.take(body)  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Stay silent: the report is the command's output, requests are not."""
