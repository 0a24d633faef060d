"""A client of the control API, over HTTP as for every other caller."""

import json
from dataclasses import dataclass
from typing import Any

from crowd.marketplace.tools.conformance.browser import Browser


class ControlRefused(Exception):
    """The control API refused a call; the message holds the server's words."""


@dataclass(frozen=True, kw_only=True)
class Control:
    endpoint: str
    key: str

    def ask(self, verb: str, **values: Any) -> dict[str, Any]:
        answer = Browser(cookies=False).send(
            f"{self.endpoint}/control/{verb}/",
            data=json.dumps(values).encode(),
            headers={"Content-Type": "application/json", "X-Control-Key": self.key},
        )
        if answer.status != 200:
            raise ControlRefused(f"{verb}: HTTP {answer.status} {answer.text[:200]}")
        body: dict[str, Any] = json.loads(answer.text)
        return body

    def advance(self, seconds: float) -> None:
        self.ask("clock", advance=seconds)

    def fault(self, kind: str, *, operation: str = "", remaining: int = 1, seconds: float = 0) -> None:
        self.ask("faults", action="add", kind=kind, operation=operation, remaining=remaining, seconds=seconds)

    def settle(self) -> None:
        """Let the marketplace do all that the clock has made due, and send notifications."""
        self.ask("settle")
