"""How often somebody may do something. Counts live in Django's cache: losing them loses nothing."""

from hashlib import sha256
from time import time

from django.core.cache import cache

WINDOW_S = 10


def allow(bucket: str, key: str, *, per_second: int) -> bool:
    """Counts one call. A whole window's worth may come at once; 0 is no limit."""
    return per_second == 0 or spend(bucket, key, most=per_second * WINDOW_S, window_s=WINDOW_S)


def spend(bucket: str, key: str, *, most: int, window_s: int) -> bool:
    """Counts one deed; False once there were more than `most` in this window of the clock."""
    return _count(_name(bucket, key, window_s), life_s=2 * window_s) <= most


def is_spent(bucket: str, key: str, *, most: int, window_s: int) -> bool:
    """Whether `most` deeds were counted in this window. Counts nothing."""
    try:
        counted: int = cache.get(_name(bucket, key, window_s), 0)
    except _troubles():
        return False
    return counted >= most


def _count(name: str, *, life_s: int) -> int:
    """A cache that is away lets everybody through: work goes before limits."""
    try:
        cache.add(name, 0, timeout=life_s)
        return cache.incr(name)
    except _troubles():
        return 0


def _name(bucket: str, key: str, window_s: int) -> str:
    """Digested, for a key may come from outside and be of any length."""
    digest = sha256(key.encode(errors="replace")).hexdigest()
    return f"rate:{bucket}:{digest}:{int(time() // window_s)}"


def _troubles() -> tuple[type[Exception], ...]:
    """The cache is away, or threw the count out in between. Asked only then: the client is slow to load."""
    from redis.exceptions import RedisError  # noqa: PLC0415

    return RedisError, ValueError
