"""Comparison of what two sides say: whether it is the same thing."""

from datetime import datetime, timedelta
from urllib.parse import urlsplit


def is_amazon(endpoint: str) -> bool:
    """Whether an address is Amazon's own service, in any spelling of its name."""
    host = (urlsplit(endpoint).hostname or "").rstrip(".")
    return host == "amazonaws.com" or host.endswith(".amazonaws.com")


def is_same_moment(ours: datetime | None, theirs: datetime | None) -> bool:
    """Whether two instants agree: providers send whole seconds or milliseconds. An unknown one agrees."""
    return ours is None or theirs is None or abs(ours - theirs) < timedelta(seconds=1.5)
