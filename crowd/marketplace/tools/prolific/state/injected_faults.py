"""Faults that a test asks for: the next requests that match are answered otherwise."""

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from crowd.marketplace.tools.prolific.refused import error_body, error_object

Kind = Literal["error", "drop_before", "drop_after", "slow"]
KINDS: frozenset[str] = frozenset({"error", "drop_before", "drop_after", "slow"})
NOT_JSON = "<html><body>Bad gateway</body></html>"


@dataclass(kw_only=True)
class Fault:
    """One rule, for the requests that match after the first `skip` of them.

    An error is answered before anything is done, and with `after` once all is done.
    """

    kind: Kind
    route: str = ".*"
    method: str = ".*"
    times: int = 1
    skip: int = 0
    status: int = 502
    detail: Any = "Bad gateway."
    shape: Literal["wrapped", "bare", "message", "text"] = "wrapped"
    after: bool = False
    delay_s: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"A fault is one of {', '.join(sorted(KINDS))}.")
        re.compile(self.route)
        re.compile(self.method)

    def matches(self, method: str, path: str) -> bool:
        return bool(re.fullmatch(self.method, method) and re.search(self.route, path))

    def body(self) -> Any:
        """The answer's body: a document, or a text that is no JSON."""
        if self.shape == "text":
            return NOT_JSON
        if self.shape == "message":
            return {"message": "An error occurred.", "detail": self.detail}
        make = error_body if self.shape == "wrapped" else error_object
        return make(self.status, self.detail)


@dataclass
class Faults:
    rules: list[Fault] = field(default_factory=list)

    def add(self, **what: Any) -> None:
        """Add a rule. Raises TypeError, ValueError or re.error for one that makes no sense."""
        self.rules.append(Fault(**what))

    def clear(self) -> None:
        self.rules.clear()

    def take(self, method: str, path: str) -> Fault | None:
        """The first rule for this request, used once."""
        for rule in self.rules:
            if rule.times > 0 and rule.matches(method, path):
                if rule.skip == 0:
                    rule.times -= 1
                    return rule
                rule.skip -= 1
        return None
