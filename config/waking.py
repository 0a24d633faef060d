"""The channel between who writes rows and who runs sweeps: it goes where the broker's messages go."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import structlog
from django.conf import settings

from hits.common import changes
from hits.common.channels import EVERYTHING, Channel, Pipes, deliver, done, written
from hits.common.dispatcher import Dispatcher
from hits.common.sweeps import SWEEPS, Done

TOPIC = "crowd:sweeps"
# A broker that hangs must not hold up whoever has just committed, nor each commit anew.
PATIENCE_S = 0.5
PAUSE_S = 2.0
LONGEST_WAIT_S = 60.0
log = structlog.get_logger()


@cache
def channel() -> Channel:
    return Redis(settings.REDIS_URL) if settings.REDIS_URL else Pipes(settings.BROKER_DIR / "sweeps")


def connect() -> None:
    """From now on what this process commits wakes the sweeps that have read it."""
    changes.tell_by(lambda tables: channel().send(written(tables)))


def wake_all() -> None:
    channel().send(EVERYTHING)


def tell_done(what: Done) -> None:
    channel().send(done(what))


@contextmanager
def failures_told(name: str) -> Iterator[None]:
    """Who has failed is due again at once, that is, after its rest."""
    try:
        yield
    except Exception:
        tell_done(Done(name=name, tables=frozenset(), due=time.time()))
        raise


def dispatch(start: Any) -> Iterator[None]:
    """Goes on for ever, one wait at a time. Whoever begins has missed everything, and so all are run."""
    listener = channel().listen()
    dispatcher = Dispatcher(SWEEPS, start=start)
    while True:
        wait = dispatcher.start_due()
        for message in listener.wait(min(wait, LONGEST_WAIT_S)):
            deliver(message, dispatcher)
        yield


class Redis:
    def __init__(self, url: str) -> None:
        from redis import Redis as Client  # noqa: PLC0415 - the embedded form has no use for it

        timeouts = {"socket_timeout": PATIENCE_S, "socket_connect_timeout": PATIENCE_S}
        self._client = Client.from_url(url, **timeouts)
        self._silent_until = 0.0

    def send(self, message: str) -> None:
        from redis.exceptions import RedisError  # noqa: PLC0415 - as above

        if time.monotonic() < self._silent_until:
            return
        try:
            self._client.publish(TOPIC, message)
        except (RedisError, OSError) as error:
            log.warning("sweeps.not_told", error=type(error).__name__)
            self._silent_until = time.monotonic() + PAUSE_S

    def listen(self) -> "RedisListener":
        return RedisListener(self._client)


class RedisListener:
    def __init__(self, client: Any) -> None:
        self._pubsub = client.pubsub(ignore_subscribe_messages=True)
        self._is_subscribed = False

    def wait(self, seconds: float) -> Iterator[str]:
        from redis.exceptions import RedisError  # noqa: PLC0415 - as above

        try:
            if not self._is_subscribed:
                self._pubsub.subscribe(TOPIC)
                self._is_subscribed = True
                yield EVERYTHING
            message = self._pubsub.get_message(timeout=seconds)
            while message is not None:
                yield message["data"].decode()
                message = self._pubsub.get_message(timeout=0)
        except (RedisError, OSError) as error:
            log.warning("sweeps.not_heard", error=type(error).__name__)
            self._pubsub.reset()
            self._is_subscribed = False
            time.sleep(PAUSE_S)
