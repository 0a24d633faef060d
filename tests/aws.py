"""The tests' boto3 clients, all from one session: each new session would read megabytes of models again."""

from functools import cache
from threading import Lock
from typing import Any

from boto3.session import Session

_at_once = Lock()


def make_client(service: str, **options: Any) -> Any:
    """Make a client with connections, keys and settings of its own. Locked: a session is not thread-safe."""
    with _at_once:
        return _session().client(service, region_name="us-east-1", **options)  # type: ignore[call-overload]


@cache
def _session() -> Session:
    return Session()
