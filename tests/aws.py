"""boto3's clients of the tests. All come of one session: a session reads megabytes of models anew."""

from functools import cache
from threading import Lock
from typing import Any

from boto3.session import Session

_at_once = Lock()


def make_client(service: str, **options: Any) -> Any:
    """Each has its own connections, keys and settings. Sessions are not made for several threads."""
    with _at_once:
        return _session().client(service, region_name="us-east-1", **options)  # type: ignore[call-overload]


@cache
def _session() -> Session:
    return Session()
