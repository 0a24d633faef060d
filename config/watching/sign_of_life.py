"""A file whose time says that a process without an address lives and is connected to the broker."""

from pathlib import Path
from threading import Event, Thread
from typing import Any

from celery import bootsteps
from django.conf import settings

EVERY_S = 10.0


def beat() -> None:
    if settings.HEARTBEAT:
        Path(settings.HEARTBEAT).touch()


class Heartbeat(bootsteps.StartStopStep):
    """A step of Celery's worker, which starts with its connection to the broker and ends with it.

    It has a thread of its own, since a model that computes for minutes is no reason to end the process.
    """

    requires = ("celery.worker.consumer.connection:Connection",)

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        self._end = Event()

    def include_if(self, consumer: Any) -> bool:
        return bool(settings.HEARTBEAT)

    def start(self, consumer: Any) -> None:
        self._end = Event()
        Thread(target=_beat_until, args=[self._end], name="heartbeat", daemon=True).start()

    def stop(self, consumer: Any) -> None:
        self._end.set()


def _beat_until(end: Event) -> None:
    while not end.is_set():
        beat()
        end.wait(EVERY_S)
