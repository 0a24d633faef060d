"""How often something may be done. Counts live in Django's cache: losing them loses nothing."""

from datetime import UTC, datetime
from hashlib import sha256
from time import time

from django.core.cache import cache


def spend(bucket: str, key: str, *, most: int, window_s: int) -> bool:
    """Counts one deed; False once there were more than `most` in this window of the clock."""
    # Digested, for a key may come from outside and be of any length.
    digest = sha256(key.encode(errors="replace")).hexdigest()
    name = f"hits.rate:{bucket}:{digest}:{int(time() // window_s)}"
    try:
        cache.add(name, 0, timeout=2 * window_s)
        return cache.incr(name) <= most
    except _troubles():  # work goes before limits
        return True


def next_window(*, window_s: int, now: datetime) -> datetime:
    """When what was spent in this window may be spent again."""
    return datetime.fromtimestamp((now.timestamp() // window_s + 1) * window_s, tz=UTC)


def _troubles() -> tuple[type[Exception], ...]:
    """The cache is away, or threw the count out in between. Asked only then: the client is slow to load."""
    from redis.exceptions import RedisError  # noqa: PLC0415

    return RedisError, ValueError
