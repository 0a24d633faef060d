"""Limits on how often something may be done. Counts are in Django's cache: losing them loses nothing."""

from datetime import UTC, datetime
from hashlib import sha256
from time import time

from django.core.cache import cache

WINDOW_S = 10


def allow(bucket: str, key: str, *, per_second: int) -> bool:
    """Count one call; False if over the limit. A whole window's worth may come at once; 0 is no limit."""
    return per_second == 0 or spend(bucket, key, most=per_second * WINDOW_S, window_s=WINDOW_S)


def spend(bucket: str, key: str, *, most: int, window_s: int) -> bool:
    """Count one act; False if there were more than `most` in this window of the clock."""
    name = _name(bucket, key, window_s)
    cache.add(name, 0, timeout=2 * window_s)
    try:
        return cache.incr(name) <= most
    except ValueError:  # it was thrown out in between
        return True


def is_spent(bucket: str, key: str, *, most: int, window_s: int) -> bool:
    """Whether `most` acts were counted in this window. Counts nothing."""
    counted: int = cache.get(_name(bucket, key, window_s), 0)
    return counted >= most


def next_window(*, window_s: int, now: datetime) -> datetime:
    """Return when the next window begins, in which what was spent may be spent again."""
    return datetime.fromtimestamp((now.timestamp() // window_s + 1) * window_s, tz=UTC)


def _name(bucket: str, key: str, window_s: int) -> str:
    """Return a cache key with a digest, because a key may come from outside and be of any length."""
    digest = sha256(key.encode(errors="replace")).hexdigest()
    return f"rate:{bucket}:{digest}:{int(time() // window_s)}"
