from uuid import uuid4

import pytest
from django.conf import LazySettings

from hits.common import rates
from tests.caches import AWAY


@pytest.fixture(autouse=True)
def _still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    turn_to(monkeypatch, 1000.0)


def turn_to(monkeypatch: pytest.MonkeyPatch, second: float) -> None:
    monkeypatch.setattr(rates, "time", lambda: second)


def test_window_lets_its_whole_allowance_through_at_once() -> None:
    allowed = [rates.allow("key", "a", per_second=2) for _ in range(22)]

    assert allowed == [True] * 20 + [False] * 2


def test_next_window_starts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(30):
        rates.allow("key", "a", per_second=2)

    turn_to(monkeypatch, 1010.0)

    assert rates.allow("key", "a", per_second=2)


def test_keys_and_buckets_are_counted_apart() -> None:
    for _ in range(30):
        rates.allow("key", "a", per_second=2)

    assert rates.allow("key", "b", per_second=2)
    assert rates.allow("worker", "a", per_second=2)


def test_zero_is_no_limit() -> None:
    assert all(rates.allow("key", "a", per_second=0) for _ in range(100))


@pytest.mark.parametrize("key", ["", "with space\n\0", "x" * 10_000, "ünï", "\ud800"])
def test_any_key_can_be_counted(key: str) -> None:
    assert [rates.spend("key", key, most=1, window_s=10) for _ in range(2)] == [True, False]


def test_is_spent_counts_nothing() -> None:
    looks = [rates.is_spent("key", "a", most=1, window_s=10) for _ in range(3)]
    rates.spend("key", "a", most=1, window_s=10)

    assert (looks, rates.is_spent("key", "a", most=1, window_s=10)) == ([False] * 3, True)


class Forgetful:
    """A cache that forgets everything at once."""

    def add(self, *_: object, **__: object) -> bool:
        return True

    def incr(self, name: str) -> int:
        raise ValueError(name)


def test_count_that_was_thrown_out_lets_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "cache", Forgetful())

    assert [rates.spend("key", "a", most=1, window_s=10) for _ in range(3)] == [True] * 3


@pytest.mark.needs_redis
def test_redis_counts_as_memory_does(settings: LazySettings) -> None:
    backend = "config.caching.SteadyRedisCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": settings.REDIS_URL}}
    key = uuid4().hex

    spent = [rates.is_spent("key", key, most=2, window_s=10)]
    allowed = [rates.spend("key", key, most=2, window_s=10) for _ in range(3)]
    spent.append(rates.is_spent("key", key, most=2, window_s=10))

    assert (allowed, spent) == ([True, True, False], [False, True])


def test_while_redis_is_away_each_process_counts_for_itself(settings: LazySettings) -> None:
    """An attacker who brings Redis down could otherwise guess passwords for ever."""
    settings.CACHES = AWAY
    key = uuid4().hex

    allowed = [rates.spend("key", key, most=1, window_s=1000) for _ in range(3)]

    assert (allowed, rates.is_spent("key", key, most=1, window_s=1000)) == ([True, False, False], True)


def test_a_count_that_was_begun_at_redis_goes_on_without_it(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CACHES = AWAY
    monkeypatch.setattr("django.core.cache.backends.redis.RedisCache.add", lambda *_, **__: True)

    assert rates.spend("key", uuid4().hex, most=1, window_s=1000)
