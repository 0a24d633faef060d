"""A proxy between us and the provider, over real sockets: it loses, repeats, delays, bends and breaks off."""

import socket
import struct
import threading
import time
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KINDS = (
    "lost", "cut", "doubled", "delayed", "late", "empty", "bent", "page",
    "replayed", "stale", "reset", "half_open",
)  # fmt: skip
BENT = {
    "empty": b"{}",
    "bent": b'{"HIT": [], "HITs": {}, "Assignments": {}, "BonusPayments": 7, "NumResults": "many"}',
    "page": b"<html></html>",
}
MOST_KEPT = 50
ANSWER_S = 20
JSON = "application/x-amz-json-1.1"


@dataclass
class Lie:
    kind: str
    operation: str  # empty: any
    times: int
    seconds: float = 0


@dataclass(frozen=True)
class Asked:
    operation: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Answer:
    status: int
    content: bytes
    content_type: str = JSON


class Proxy(ThreadingHTTPServer):
    """A proxy that is honest until it is told to lie, and honest again after `calm`."""

    daemon_threads = True

    def __init__(self, *, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Between)
        self.url = f"http://localhost:{self.server_address[1]}"
        self.told: Counter[str] = Counter()
        self.calls = 0
        self._provider = port
        self._lies: list[Lie] = []
        self._answers: dict[str, deque[tuple[bytes, Answer]]] = defaultdict(lambda: deque(maxlen=MOST_KEPT))
        self._lock = threading.Lock()
        self._on_their_way: list[threading.Thread] = []
        self._is_calm = threading.Event()
        threading.Thread(target=self.serve_forever, args=(0.05,), name="proxy", daemon=True).start()

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore errors: a process that was killed does not read its answer to the end."""

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        """Close without the usual shutdown, so that a connection that is broken off is reset."""
        self.close_request(request)

    def lie(self, lie: Lie) -> None:
        with self._lock:
            self._is_calm.clear()
            self._lies.append(lie)

    def calm(self) -> None:
        """Stop all lies, and wait until no request is on its way."""
        with self._lock:
            self._lies.clear()
            self._is_calm.set()
        for thread in self._on_their_way:
            thread.join(timeout=2 * ANSWER_S)
        self._on_their_way.clear()

    def forget(self) -> None:
        self.told.clear()
        self._answers.clear()
        self.calls = 0

    def lie_about(self, asked: Asked) -> Lie | None:
        with self._lock:
            self.calls += 1
            for lie in self._lies:
                if lie.times and lie.operation in ("", asked.operation) and self._can_tell(lie, asked):
                    lie.times -= 1
                    self.told[lie.kind] += 1
                    return lie
        return None

    def send_on(self, asked: Asked) -> Answer:
        """Send a request on. Raises OSError or HTTPException, as a provider does that is unreachable."""
        way = HTTPConnection("127.0.0.1", self._provider, timeout=ANSWER_S)
        try:
            way.request("POST", asked.path, asked.body, asked.headers)
            given = way.getresponse()
            answer = Answer(given.status, given.read(), given.headers.get("Content-Type", JSON))
        finally:
            way.close()
        if answer.status == 200:
            self._answers[asked.operation].append((asked.body, answer))
        return answer

    def send_late(self, asked: Asked, *, seconds: float) -> None:
        """Send a request after a delay, when nobody waits for the answer any more."""

        def arrive() -> None:
            self._is_calm.wait(seconds)
            try:
                self.send_on(asked)
            except (OSError, HTTPException):
                return

        thread = threading.Thread(target=arrive, name="late", daemon=True)
        self._on_their_way.append(thread)
        thread.start()

    def wait(self, seconds: float) -> None:
        self._is_calm.wait(seconds)

    def old(self, asked: Asked, *, same: bool) -> Answer:
        """An earlier answer to the same request, or, unless `same`, to any request of the operation."""
        return next(given for body, given in self._answers[asked.operation] if body == asked.body or not same)

    def _can_tell(self, lie: Lie, asked: Asked) -> bool:
        known = list(self._answers[asked.operation])
        if lie.kind == "stale":
            return any(body == asked.body for body, _ in known)
        return lie.kind != "replayed" or bool(known)


class _Between(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def log_message(self, *_: object) -> None:
        """Log nothing: the product's own logs are enough."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        target = self.headers.get("X-Amz-Target", "")
        asked = Asked(target.rpartition(".")[2], self.path, dict(self.headers.items()), body)
        try:
            self._answer(asked, self.server.lie_about(asked))
        except (OSError, HTTPException):
            self._break_off()

    def _answer(self, asked: Asked, lie: Lie | None) -> None:
        if lie is None:
            self._say(self.server.send_on(asked))
        elif lie.kind in ("replayed", "stale"):
            self._say(self.server.old(asked, same=lie.kind == "stale"))
        elif lie.kind in ("lost", "late", "half_open"):
            self._leave(asked, lie)
        else:
            self._bend(asked, lie)

    def _leave(self, asked: Asked, lie: Lie) -> None:
        """Give no answer. With the lie `late` the request arrives all the same."""
        if lie.kind == "late":
            self.server.send_late(asked, seconds=lie.seconds)
        if lie.kind == "half_open":
            self.server.wait(lie.seconds)
        self._break_off()

    def _bend(self, asked: Asked, lie: Lie) -> None:
        if lie.kind == "delayed":
            self.server.wait(lie.seconds)
        answer = self.server.send_on(asked)
        if lie.kind == "doubled":
            answer = self.server.send_on(asked)
        if lie.kind == "cut":
            self._break_off()
        elif lie.kind == "reset":
            self._say(answer, whole=False)
        elif lie.kind in BENT:
            status = 502 if lie.kind == "page" and lie.times % 2 else 200
            self._say(Answer(status, BENT[lie.kind], "text/html" if lie.kind == "page" else JSON))
        else:
            self._say(answer)

    def _say(self, answer: Answer, *, whole: bool = True) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content if whole else answer.content[: len(answer.content) // 2])
        if not whole:
            self.wfile.flush()
            time.sleep(0.05)
            self._break_off()

    def _break_off(self) -> None:
        """Break the connection off by a reset, without a shutdown."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
