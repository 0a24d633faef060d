import os
from collections import defaultdict
from collections.abc import Iterator
from threading import Lock, Thread
from typing import Any

import structlog
from celery import Celery
from celery.beat import Scheduler
from celery.signals import beat_init, celeryd_after_setup, worker_init, worker_ready
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from kombu.exceptions import OperationalError

from config import broker
from config.start_checks import refuse_wrong_databases, stop
from config.watching import sign_of_life
from hits.common import wake
from hits.common.sweeps import SWEEPS, Sweep

log = structlog.get_logger()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

RIVAL_QUEUE = "rival"
# A message that no worker took is not worth keeping: the dispatcher sends another.
EXPIRES_S = 30
_running: defaultdict[str, Lock] = defaultdict(Lock)

broker.register()
app = Celery("crowd")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["consumer"].add(sign_of_life.Heartbeat)


@app.task(name="sweep")
def run_sweep(name: str) -> None:
    """Run a sweep, once at a time in a process: a second call finds the first at work, and returns."""
    lock = _running[name]
    if not lock.acquire(blocking=False):
        return
    try:
        wake.run(name)
    finally:
        lock.release()


def start_sweep(sweep: Sweep) -> None:
    """Send a sweep to the queue; if the broker does not answer, it starts later."""
    try:
        run_sweep.apply_async((sweep.name,), queue=sweep.queue, expires=EXPIRES_S)
    except (OperationalError, OSError) as error:
        log.warning("sweep.not_started", sweep=sweep.name, error=type(error).__name__)


def dispatched() -> Iterator[None]:
    """The loop that dispatches sweeps, which are known once all task modules have been imported."""
    app.loader.import_default_modules()
    return wake.dispatch(start_sweep, among=SWEEPS)


class Dispatching(Scheduler):
    """Celery's beat, waiting for writes instead of looking at a clock."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turns = dispatched()

    def tick(self, *args: Any, **kwargs: Any) -> float:
        next(self._turns)
        sign_of_life.beat()
        return 0.0


@worker_init.connect
@beat_init.connect
def check_databases(**_: Any) -> None:
    try:
        refuse_wrong_databases()
    except ImproperlyConfigured as problem:
        stop(str(problem))


@worker_ready.connect
def wake_all(**_: Any) -> None:
    """Wake all sweeps at start: the worker before may have been killed in the middle of anything."""
    wake.wake_all()


@celeryd_after_setup.connect
def warm_rivals(instance: Any, **_: Any) -> None:
    """Load the models at the start of a process that takes the rival queue, before its first question.

    A process with other queues loads them in a thread, so that other work does not wait.
    """
    queues = set(instance.app.amqp.queues.consume_from)
    if RIVAL_QUEUE not in queues:
        return
    if queues == {RIVAL_QUEUE}:
        _warm()
    else:
        Thread(target=_warm, name="warming", daemon=True).start()


def _warm() -> None:
    from scoring.services import rival_answers  # noqa: PLC0415

    try:
        rival_answers.warm_up()
    finally:
        connections.close_all()
