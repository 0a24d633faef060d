"""Django's cache at Redis. While Redis is away each process counts for itself, so that limits still hold."""

import time
from typing import Any, ClassVar

import structlog
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache

# How long Redis is not asked again: one that hangs must not hold up every page.
PAUSE_S = 2.0
log = structlog.get_logger()


class SteadyRedisCache(RedisCache):
    """A Redis cache with what is used here: add, get, set and incr. A local one stands in."""

    _away_until: ClassVar[float] = 0.0

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._own = LocMemCache("while Redis is away", {})

    def add(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask("add", *args, **kwargs)

    def get(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask("get", *args, **kwargs)

    def set(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask("set", *args, **kwargs)

    def incr(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask("incr", *args, **kwargs)

    def _ask(self, name: str, *args: Any, **kwargs: Any) -> Any:
        from redis.exceptions import RedisError  # noqa: PLC0415 - slow to load

        if time.monotonic() >= self._away_until:
            try:
                return getattr(super(), name)(*args, **kwargs)
            except (RedisError, OSError) as error:
                log.warning("cache.away", error=type(error).__name__)
                SteadyRedisCache._away_until = time.monotonic() + PAUSE_S
        if name == "incr":  # the count was begun at Redis
            self._own.add(args[0], 0, timeout=kwargs.get("timeout", 3600))
        return getattr(self._own, name)(*args, **kwargs)
