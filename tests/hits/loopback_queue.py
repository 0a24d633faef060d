"""A queue on loopback that speaks as much of the SQS protocol as the product needs."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class LoopbackQueue:
    """A queue whose messages come again at the next call until they are deleted; it answers with `status`."""

    def __init__(self, host: str) -> None:
        self.url = f"{host}/000000000000/events"
        self.bodies: dict[str, str] = {}
        self.calls: list[str] = []
        self.credentials: set[str] = set()
        self.status = 200

    def put(self, body: str) -> None:
        self.bodies[f"receipt-{len(self.bodies)}-{hashlib.sha256(body.encode()).hexdigest()}"] = body

    def answer(self, operation: str, asked: dict[str, Any]) -> dict[str, Any]:
        self.calls.append(operation)
        assert asked["QueueUrl"] == self.url
        if operation == "SendMessage":
            self.put(asked["MessageBody"])
            return {"MessageId": "m", "MD5OfMessageBody": _digest(asked["MessageBody"])}
        if operation == "DeleteMessage":
            self.bodies.pop(asked["ReceiptHandle"], None)
            return {}
        shown = list(self.bodies.items())[: asked["MaxNumberOfMessages"]]
        messages = [
            {"MessageId": "m", "ReceiptHandle": receipt, "Body": body, "MD5OfBody": _digest(body)}
            for receipt, body in shown
        ]
        return {"Messages": messages} if messages else {}


@contextmanager
def serving_queue() -> Iterator[LoopbackQueue]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            operation = self.headers["X-Amz-Target"].partition(".")[2]
            queue.credentials.add(self.headers["Authorization"].partition("Credential=")[2].partition("/")[0])
            refusal = {"__type": "com.amazonaws.sqs#AccessDenied", "message": "no"}
            answer = queue.answer(operation, asked) if queue.status == 200 else refusal
            content = json.dumps(answer).encode()
            self.send_response(queue.status)
            self.send_header("Content-Type", "application/x-amz-json-1.0")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Write nothing to standard error."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    queue = LoopbackQueue(f"http://127.0.0.1:{server.server_address[1]}")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield queue
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _digest(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
