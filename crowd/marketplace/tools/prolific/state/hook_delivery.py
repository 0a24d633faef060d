"""The thread that sends events. Only loopback is ever reached: a stand-in calls nobody else."""

import logging
import queue
from http.client import HTTPConnection, HTTPException
from threading import Thread
from urllib.parse import urlsplit

from crowd.marketplace.tools.prolific.state.hook_events import (
    FAILING_DAYS,
    RETRIES,
    Delivery,
    note,
    wait_before,
)
from crowd.marketplace.tools.prolific.state.prolific_world import World

PATIENCE_S = 5.0
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
log = logging.getLogger(__name__)


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in LOOPBACK or host.endswith(".localhost")


class HookSender:
    def __init__(self, world: World) -> None:
        self._world = world
        self._queue: queue.Queue[Delivery | None] = queue.Queue()
        self._thread = Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._world.hooks.send = self._queue.put
        self._thread.start()

    def stop(self) -> None:
        self._world.hooks.send = None
        self._queue.put(None)
        self._thread.join()

    def wait(self) -> None:
        """Wait until everything that was handed over has been tried."""
        self._queue.join()

    def _run(self) -> None:
        while True:
            delivery = self._queue.get()
            try:
                if delivery is None:
                    return
                self._deliver(delivery)
            finally:
                self._queue.task_done()

    def _deliver(self, delivery: Delivery) -> None:
        with self._world.lock:
            now = self._world.now()
            secret = delivery.subscription.workspace.hook_secret
            is_enabled = delivery.subscription.is_enabled
        if is_enabled:
            was_taken = _post(delivery, delivery.headers(secret=secret, now=now))
            with self._world.lock:
                self._record(delivery, was_taken=was_taken)

    def _record(self, delivery: Delivery, *, was_taken: bool) -> None:
        now = self._world.now()
        note(delivery, status="SUCCEEDED" if was_taken else "FAILED", now=now)
        subscription = delivery.subscription
        if was_taken:
            subscription.failing_since = None
            return
        subscription.failing_since = subscription.failing_since or now
        if now - subscription.failing_since >= FAILING_DAYS:
            subscription.is_enabled = False
        elif delivery.attempt < RETRIES:
            again = delivery.again()
            self._world.agenda.add(now + wait_before(again.attempt), lambda _: self._retry(again))

    def _retry(self, delivery: Delivery) -> None:
        self._world.hooks.waiting.append(delivery)


def _post(delivery: Delivery, headers: dict[str, str]) -> bool:
    """Whether the receiver took it. Redirects are not followed."""
    url = urlsplit(delivery.subscription.target_url)
    if not is_loopback(delivery.subscription.target_url) or url.scheme != "http":
        log.warning("prolific.hook.elsewhere: %s", url.hostname)
        return False
    target = url.path + (f"?{url.query}" if url.query else "")
    connection = HTTPConnection(_address(url.hostname or ""), url.port, timeout=PATIENCE_S)
    try:
        named = {**headers, "Host": url.netloc}
        connection.request("POST", target or "/", body=delivery.body, headers=named)
        return 200 <= connection.getresponse().status < 300
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _address(host: str) -> str:
    """Names under localhost are this machine; not every resolver knows it."""
    return "127.0.0.1" if host.endswith("localhost") else host
