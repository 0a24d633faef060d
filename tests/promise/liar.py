"""A proxy between us and the provider that loses, doubles, empties, bends and repeats messages."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ConnectionClosedError

from tests.promise.wire import Body, Send

KINDS = ("lost", "cut", "doubled", "empty", "bent", "page", "replayed", "stale")
BENT = {
    "empty": b"{}",
    "bent": b'{"HIT": [], "Assignments": {}, "BonusPayments": 7}',
    "page": b"<html></html>",
}


@dataclass
class Lie:
    kind: str
    operation: str  # empty: any
    times: int


class Liar:
    """A proxy that is honest until it is told to lie, and remembers every answer for later."""

    def __init__(self) -> None:
        self.lies: list[Lie] = []
        self.told = 0
        self._answers: dict[str, list[tuple[bytes, bytes]]] = defaultdict(list)

    def carry(self, operation: str, body: bytes, send: Send) -> AWSResponse:
        lie = next((lie for lie in self.lies if lie.times and lie.operation in ("", operation)), None)
        if lie is None or not self._can_be_told(lie, operation, body):
            return self._remember(operation, body, send())
        lie.times -= 1
        self.told += 1
        return self._tell(lie, operation, body, send)

    def _tell(self, lie: Lie, operation: str, body: bytes, send: Send) -> AWSResponse:
        if lie.kind == "lost":
            raise ConnectionClosedError(endpoint_url="between")
        if lie.kind == "replayed":  # most likely the answer to another request
            return answer(self._answers[operation][0][1])
        if lie.kind == "stale":
            return answer(self._old(operation, body))
        done = self._remember(operation, body, send())
        if lie.kind == "cut":
            raise ConnectionClosedError(endpoint_url="between")
        if lie.kind == "doubled":
            return send()
        return answer(BENT[lie.kind]) if done.status_code == 200 else done

    def _can_be_told(self, lie: Lie, operation: str, body: bytes) -> bool:
        if lie.kind == "stale":
            return any(asked == body for asked, _ in self._answers[operation])
        return lie.kind != "replayed" or bool(self._answers[operation])

    def _old(self, operation: str, body: bytes) -> bytes:
        return next(given for asked, given in self._answers[operation] if asked == body)

    def _remember(self, operation: str, body: bytes, given: AWSResponse) -> AWSResponse:
        if given.status_code == 200:
            content: Any = given.content
            self._answers[operation].append((body, content))
        return given


def answer(content: bytes) -> AWSResponse:
    headers = HTTPHeaders()
    headers["Content-Type"] = "application/x-amz-json-1.1"
    return AWSResponse("between", 200, headers, Body(content))
