"""The channel from writers of rows to the process that runs sweeps, beside the broker's messages."""

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import structlog
from django.conf import settings

from hits.common.channels import EVERYTHING, Channel, Pipes

TOPIC = "crowd:sweeps"
PULSE = "crowd:pulse"
# A broker that hangs must not hold up the process that has just committed, nor every commit.
PATIENCE_S = 0.5
PAUSE_S = 2.0
log = structlog.get_logger()


def make_channel() -> Channel:
    return Redis(settings.REDIS_URL) if settings.REDIS_URL else Pipes(settings.BROKER_DIR / "sweeps")


class Redis:
    def __init__(self, url: str) -> None:
        self._url = url
        self._made: Any = None
        self._silent_until = 0.0

    @property
    def client(self) -> Any:
        """The Redis client, made at first use: the library loads slowly, and many commands write nothing."""
        from redis import Redis as Client  # noqa: PLC0415

        timeouts = {"socket_timeout": PATIENCE_S, "socket_connect_timeout": PATIENCE_S}
        self._made = self._made or Client.from_url(self._url, **timeouts)
        return self._made

    def send(self, message: str) -> None:
        from redis.exceptions import RedisError  # noqa: PLC0415 - as above

        if time.monotonic() < self._silent_until:
            return
        try:
            self.client.publish(TOPIC, message)
        except (RedisError, OSError) as error:
            log.warning("sweeps.not_told", error=type(error).__name__)
            self._silent_until = time.monotonic() + PAUSE_S

    def keep(self, pulse: str) -> None:
        from redis.exceptions import RedisError  # noqa: PLC0415 - as above

        with suppress(RedisError, OSError):
            self.client.set(PULSE, pulse)

    def kept(self) -> str:
        from redis.exceptions import RedisError  # noqa: PLC0415 - as above

        try:
            return (self.client.get(PULSE) or b"").decode()
        except (RedisError, OSError):
            return ""

    def listen(self) -> "RedisListener":
        return RedisListener(self.client)


class RedisListener:
    """A listener that, after a lost connection, reports everything as changed once it is back."""

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
