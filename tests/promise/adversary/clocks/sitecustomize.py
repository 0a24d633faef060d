"""A machine whose clock is wrong: every program that starts with this folder on its path."""

import datetime as dt
import os
import time
from typing import Any, Self

AHEAD_S = float(os.environ.get("ADVERSARY_AHEAD_S", "0"))
AHEAD = dt.timedelta(seconds=AHEAD_S)
_Datetime = dt.datetime
_time, _time_ns = time.time, time.time_ns


class _Alike(type):
    """A type for which every datetime is an instance, also one made earlier or by C."""

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, _Datetime)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, _Datetime)


class Wrong(_Datetime, metaclass=_Alike):
    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Self:
        return super().now(tz) + AHEAD

    @classmethod
    def utcnow(cls) -> Self:
        return super().utcnow() + AHEAD


if AHEAD_S:
    time.time = lambda: _time() + AHEAD_S
    time.time_ns = lambda: _time_ns() + int(AHEAD_S * 1_000_000_000)
    dt.datetime = Wrong  # type: ignore[misc]
